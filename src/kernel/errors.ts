/** Errors for clients, with an HTTP status. Any other thrown error is a defect and becomes a 500. */

/** Messages by input field. */
export type FieldErrors = Record<string, string[]>

/** Error reply: status, code, message, and optionally field errors, data and headers. */
export class HttpError extends Error {
  readonly status: number
  readonly code: string
  readonly errors?: FieldErrors
  readonly data?: unknown
  readonly headers?: Record<string, string>

  constructor(
    status: number,
    code: string,
    message: string,
    more: { errors?: FieldErrors; data?: unknown; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.errors = more.errors
    this.data = more.data
    this.headers = more.headers
  }
}

export const badRequest = (message: string) => new HttpError(400, 'BAD_REQUEST', message)
export const unauthenticated = (message = 'Sign in first.', headers: Record<string, string> = { 'www-authenticate': 'Bearer' }) =>
  new HttpError(401, 'UNAUTHENTICATED', message, { headers })
export const forbidden = (message: string, code = 'FORBIDDEN') => new HttpError(403, code, message)
export const notFound = (message = 'Not found.') => new HttpError(404, 'NOT_FOUND', message)
/** 503 with Retry-After, in seconds. */
export const unavailable = (message: string, { code = 'UNAVAILABLE', seconds = 5 } = {}) =>
  new HttpError(503, code, message, { headers: { 'retry-after': String(seconds) } })
export const conflict = (message: string) => new HttpError(409, 'CONFLICT', message)

/**
 * 422 with messages by input field (CONV-12): `invalid({ status: 'Only draft purchase orders can be edited.' })`. The error's
 * message is the first of these. It is prefixed with the field's name if it has no subject of its own.
 */
export function invalid(fields: Record<string, string | string[]>, options: { code?: string; data?: unknown } = {}) {
  const errors = Object.fromEntries(Object.entries(fields).map(([field, said]) => [field, [said].flat()]))
  const [field = '', [first = 'The input is not valid.'] = []] = Object.entries(errors)[0] ?? []
  const message = /^(Must|Is|Needs|Has|Names) /.test(first) ? `${field}: ${first}` : first
  return new HttpError(422, options.code ?? 'VALIDATION_FAILED', message, { errors, data: options.data })
}
