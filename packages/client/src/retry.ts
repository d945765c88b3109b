import { ApiError, retryAfterOf } from './error.ts'

export interface RetryOptions {
  /** How often a call is sent again at most. */
  retries: number
  /** Who is told to wait for more seconds than these throws instead. */
  maxWait: number
}

/** Waits for some seconds; throws the signal’s reason as soon as it is aborted. */
export function wait(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, seconds * 1000)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** Seconds before the nth further try where nobody says how many: 0.5, 1, 2, …, each up to a half more, so that clients don’t come together. */
const backoff = (tries: number) => 0.5 * 2 ** tries * (1 + Math.random() / 2)

/**
 * Sends a request, and again where that can do no harm: after a 429 or 503 that says when; after no reply at all, where the request only reads
 * or has an `Idempotency-Key`. Answers the last reply; throws an `ApiError` where none came.
 */
export async function send(
  request: Request,
  fetch: (request: Request) => Promise<Response>,
  { retries, maxWait }: RetryOptions,
): Promise<Response> {
  const { method, headers, signal } = request
  const hasKey = headers.has('idempotency-key')
  for (let tries = 0; ; tries++) {
    const isLast = tries >= retries
    let response: Response | undefined
    try {
      response = await fetch(isLast ? request : request.clone())
    } catch (cause) {
      signal.throwIfAborted()
      if (isLast || !(method === 'GET' || hasKey))
        throw new ApiError({ status: 0, code: 'UNREACHABLE', message: 'The service can’t be reached.' }, { cause })
    }
    const seconds = response ? secondsToWait(response, hasKey && tries > 0) : backoff(tries)
    if (response && (isLast || seconds === undefined || seconds > maxWait)) return response
    await response?.body?.cancel()
    await wait(seconds!, signal)
  }

  /** A 409 to a repeated key: the first request under it still runs. */
  function secondsToWait(response: Response, repeated: boolean): number | undefined {
    if (response.status === 429 || response.status === 503) return retryAfterOf(response)
    return response.status === 409 && repeated ? 1 : undefined
  }
}
