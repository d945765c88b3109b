/** Content of an unsuccessful reply. `status` 0 means that there was no reply. */
export interface Refusal {
  status: number
  code: string
  message: string
  fields?: Record<string, string[]> | undefined
  requestId?: string | undefined
  /** Seconds. */
  retryAfter?: number | undefined
  data?: unknown
  response?: Response | undefined
}

/**
 * Only error that calls throw, whether the service rejected them or couldn't be reached. An aborted call throws its signal's
 * reason instead.
 */
export class ApiError extends Error implements Refusal {
  override readonly name = 'ApiError'
  /** HTTP status; 0 without a reply. */
  readonly status: number
  /**
   * Error code for programs: `VALIDATION_FAILED`, `NOT_FOUND`, …; `UNREACHABLE` without a reply, `HTTP_<status>` if the reply
   * isn't the service's own.
   */
  readonly code: string
  /** Messages by the field's dotted name; empty if the error doesn't concern fields. */
  readonly fields: Record<string, string[]>
  /** Id of the request in the service's log. */
  readonly requestId: string | undefined
  /** Seconds after which to retry, if the reply has them. */
  readonly retryAfter: number | undefined
  /** Additional data of some errors. */
  readonly data: unknown
  readonly response: Response | undefined

  constructor({ message, fields = {}, ...refusal }: Refusal, options?: ErrorOptions) {
    super(message, options)
    this.status = refusal.status
    this.code = refusal.code
    this.fields = fields
    this.requestId = refusal.requestId
    this.retryAfter = refusal.retryAfter
    this.data = refusal.data
    this.response = refusal.response
  }
}

/** Returns the error of a reply. `body` is its content, parsed if it is JSON. */
export function errorOf(response: Response, body: unknown): ApiError {
  const { status, statusText, headers } = response
  const said = (typeof body === 'object' && body ? body : {}) as Record<string, unknown>
  return new ApiError({
    status,
    code: (said.code as string) ?? `HTTP_${status}`,
    message: (said.message as string) ?? (statusText || `The reply has the status ${status}.`),
    fields: said.errors as Record<string, string[]>,
    requestId: (said.request_id as string) ?? headers.get('x-request-id') ?? undefined,
    retryAfter: retryAfterOf(response),
    data: said.data,
    response,
  })
}

/** Returns the error of a reply that can't be parsed: a page of another server instead of JSON, or a truncated one. */
export const notOurs = (response: Response, cause: unknown): ApiError =>
  new ApiError(
    {
      status: 502,
      code: 'HTTP_502',
      message: 'The reply is not the service’s own, or broke off.',
      requestId: response.headers.get('x-request-id') ?? undefined,
      response,
    },
    { cause },
  )

/** Returns the seconds in `Retry-After`, from a number or a date; undefined without one. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const said = headers.get('retry-after')
  if (!said) return undefined
  const seconds = /^\d+$/.test(said) ? Number(said) : (Date.parse(said) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
