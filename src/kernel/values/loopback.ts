/** Loopback addresses. */

const NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Returns whether a URL's host is this machine, with any port. */
export const isLoopback = (url: string) => NAME.test(URL.parse(url)?.hostname ?? '')
