/** HEAD (RFC 9110, 9.3.2): every GET route answers it too. Handlers that call other servers, or count uses, check for it. */

/** Whether a request is a HEAD request. */
export const isHead = ({ method }: { method: string }) => method === 'HEAD'

/** Whether a method only reads: GET or HEAD. */
export const isReadMethod = (method: string) => method === 'GET' || method === 'HEAD'
