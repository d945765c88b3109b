/** Asking again and again: how far something is that goes on without the page, and for the next part of it. */
import { ApiError, call } from '../api.ts'

const PAUSE_MS = 1000
const MAX_PAUSE_MS = 30_000

/** No reply, none of the service's own, too many requests, or a session that somebody is about to begin again. */
const isPassing = ({ status }: ApiError) => status === 0 || status >= 500 || [401, 408, 429].includes(status)
/**
 * Of a POST: the same may still be at work; a defect of the service would be there the next time too. An ended session ends it: the next one may be
 * somebody else's.
 */
const isPassingOfPost = (error: ApiError) => error.status === 409 || (![401, 500].includes(error.status) && isPassing(error))

/** Between two times. */
export const pause = (milliseconds = PAUSE_MS) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** The answer, however often it has to be asked for: neither a lost connection ends it nor a service that starts anew. Throws what is refused. */
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

/** What a POST answers, however often it has to be sent. One whose reply was lost may have been taken: by its key it is done once. */
export function postPatiently(path: string, body: object) {
  const bytes = crypto.getRandomValues(new Uint8Array(16)) // no UUID, which browsers make only for pages that came over https
  const headers = { 'Idempotency-Key': Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('') }
  return patiently(() => call('post', path, { body, headers }), undefined, isPassingOfPost)
}
