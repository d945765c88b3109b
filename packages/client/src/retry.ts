import { ApiError, retryAfterOf } from './error.ts'

export interface RetryOptions {
  /** Maximum number of retries of a call. */
  retries: number
  /** Maximum wait in seconds. A call that would have to wait longer throws instead. */
  maxWait: number
}

/** Waits for some seconds. Throws the signal's reason as soon as it is aborted. */
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

/**
 * Seconds before the nth retry without a Retry-After: 0.5, 1, 2, …, each with up to a half added at random, so that clients don't
 * retry together.
 */
const backoff = (tries: number) => 0.5 * 2 ** tries * (1 + Math.random() / 2)

/**
 * Sends a request and retries it if that is safe. After a 429 or 503 with Retry-After it always is; without a reply, if the
 * request is a GET or has an `Idempotency-Key`. Returns the last reply; throws an `ApiError` if there is none.
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

  /** Returns the wait before a retry. A 409 to a repeated key means that the first request is still running. */
  function secondsToWait(response: Response, repeated: boolean): number | undefined {
    if (response.status === 429 || response.status === 503) return retryAfterOf(response)
    return response.status === 409 && repeated ? 1 : undefined
  }
}
