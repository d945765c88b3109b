/** Asking again and again: how far something is that goes on without the page. */
import { ApiError } from '../api.ts'

const PAUSE_MS = 1000
const MAX_PAUSE_MS = 30_000

/** No reply, none of the service's own, too many requests, or a session that somebody is about to begin again. */
const isPassing = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500 || [401, 408, 429].includes(error.status))

/** Between two times. */
export const pause = (milliseconds = PAUSE_MS) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** The answer, however often it has to be asked for: neither a lost connection ends it nor a service that starts anew. Throws what is refused. */
export async function patiently<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let wait = PAUSE_MS; ; wait = Math.min(2 * wait, MAX_PAUSE_MS)) {
    try {
      return await ask()
    } catch (error) {
      if (!isPassing(error)) throw error
    }
    await pause(wait)
    signal?.throwIfAborted()
  }
}
