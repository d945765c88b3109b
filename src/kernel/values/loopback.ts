/** Addresses that only this machine reaches. */

const NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Whether a URL's host is this machine itself, by any port. */
export const isLoopback = (url: string) => NAME.test(URL.parse(url)?.hostname ?? '')
