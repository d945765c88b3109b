/**
 * API client of the page: requests go below the realm's address, where the server adds the session. The page never has a token.
 */
import { signal } from '@preact/signals'
import { type AnyClient, type AnyOptions, platformClient, workspaceClient } from '#client/client.ts'
import { ApiError } from '#client/error.ts'
import { boot, type Realm } from './boot.ts'
import { heard, spokenOf } from './texts/labels.ts'
import { language } from './texts/texts.ts'

type Method = Parameters<AnyClient['request']>[0]

const clientOf = ({ api, path }: Realm): AnyClient =>
  (api === '/api/tenant/v1' ? workspaceClient : platformClient)({ baseUrl: location.origin + path, strict: false })

const mine = boot.realm && clientOf(boot.realm)
/** True when the session has ended while the page was open. */
export const sessionOver = signal(false)
/** Counts renewed sessions: after signing in again, the page continues and reconnects its socket. */
export const sessions = signal(0)

/** True while the user signs out: later 401 replies are ignored. */
export const leaving = signal(false)

/** Translates an error's messages to the user's language. */
async function spoken(error: unknown) {
  return error instanceof ApiError && language !== 'en' ? Object.assign(error, await spokenOf(error)) : error
}

/** Translates a reply's message to the user's language, except the `OK` of reads. */
async function told(answer: Awaited<ReturnType<AnyClient['request']>>) {
  return answer.message && answer.message !== 'OK' ? { ...answer, message: await heard(answer.message) } : answer
}

/** Calls the realm's API. Throws an ApiError; a 401 makes the frame show the sign-in dialog. */
export async function call(method: Method, path: string, options?: AnyOptions) {
  try {
    return await told(await mine!.request(method, path, options))
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && !leaving.value) sessionOver.value = true
    throw await spoken(error)
  }
}

/** Calls an API without a session, from the sign-in pages; a reply with a session sets its cookie. */
export const callBefore = (api: Realm['api'], method: Method, path: string, options?: AnyOptions) =>
  clientOf({ api, path: '/sign-in' })
    .request(method, path, options)
    .then(told)
    .catch(async (error) => {
      throw await spoken(error)
    })

export { ApiError }
