/** HEAD (RFC 9110, 9.3.2): each GET answers it too. Handlers that reach other servers, or count, check for it. */

/** Whether a request asks for the headers alone. */
export const isHead = ({ method }: { method: string }) => method === 'HEAD'

/** Whether a method reads: HEAD may what GET may. */
export const isReadMethod = (method: string) => method === 'GET' || method === 'HEAD'
