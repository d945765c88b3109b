/** Retries and polling: progress of background work, and following requests. */
import { ApiError, call } from '../api.ts'

const PAUSE_MS = 1000
const MAX_PAUSE_MS = 30_000

/** Transient: no reply, a proxy's reply, too many requests, or an ended session that the user may renew. */
const isPassing = ({ status }: ApiError) => status === 0 || status >= 500 || [401, 408, 429].includes(status)
/**
 * Transient errors of a POST: 409 means that the same request is still running. A 500 would recur. An ended session is final,
 * because the next one may be another user's.
 */
const isPassingOfPost = (error: ApiError) => error.status === 409 || (![401, 500].includes(error.status) && isPassing(error))

/** Waits between two attempts. */
export const pause = (milliseconds = PAUSE_MS) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Repeats a request through lost connections and restarts of the service until it succeeds. Throws permanent errors. */
export async function patiently<T>(ask: () => Promise<T>, signal?: AbortSignal, passes = isPassing): Promise<T> {
  for (let wait = PAUSE_MS; ; wait = Math.min(2 * wait, MAX_PAUSE_MS)) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ApiError && passes(error))) throw error
    }
    await pause(wait)
    signal?.throwIfAborted()
  }
}

/** Repeats a POST until it succeeds. Its idempotency key makes repetition safe when a reply was lost. */
export function postPatiently(path: string, body: object) {
  const bytes = crypto.getRandomValues(new Uint8Array(16)) // browsers offer UUIDs over https only
  const headers = { 'Idempotency-Key': Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('') }
  return patiently(() => call('post', path, { body, headers }), undefined, isPassingOfPost)
}
