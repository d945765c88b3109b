/** What a reply that is no success says; `status` 0: there was no reply. */
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

/** The one error that calls throw, whether the service refused them or could not be reached; only an aborted call throws its signal's reason. */
export class ApiError extends Error implements Refusal {
  override readonly name = 'ApiError'
  /** The HTTP status; 0 where no reply came. */
  readonly status: number
  /** For programs: `VALIDATION_FAILED`, `NOT_FOUND`, …; `UNREACHABLE` where no reply came, `HTTP_<status>` where it isn’t the service’s own. */
  readonly code: string
  /** What is wrong with each field, by its dotted name; empty where nothing is said of fields. */
  readonly fields: Record<string, string[]>
  /** Names the request in the service’s log. */
  readonly requestId: string | undefined
  /** After how many seconds it may be tried again, where the reply says so. */
  readonly retryAfter: number | undefined
  /** What some errors carry beside the message. */
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

/** The error that a reply is. `body`: what it holds, read as JSON where it is JSON. */
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

/** The error that a reply is which can't be read: a page of somebody else's in place of JSON, or one that breaks off. */
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

/** Seconds that `Retry-After` names, as a number or by a date; undefined where it doesn’t. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const said = headers.get('retry-after')
  if (!said) return undefined
  const seconds = /^\d+$/.test(said) ? Number(said) : (Date.parse(said) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
