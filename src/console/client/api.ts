/** The API as this page reaches it: below its realm's address, where the server adds who asks. No token is ever here. */
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
/** The session ended while the page was open. */
export const sessionOver = signal(false)
/** Counts the sessions that follow it: whoever signs in again goes on where they were, and listens by another one. */
export const sessions = signal(0)

/** The session is being ended by whoever has it: what still comes back as refused concerns nobody. */
export const leaving = signal(false)

/** What was thrown, with its words in the reader's language. */
async function spoken(error: unknown) {
  return error instanceof ApiError && language !== 'en' ? Object.assign(error, await spokenOf(error)) : error
}

/** What was answered, with its message in the reader's language. What is only read says nothing. */
async function told(answer: Awaited<ReturnType<AnyClient['request']>>) {
  return answer.message && answer.message !== 'OK' ? { ...answer, message: await heard(answer.message) } : answer
}

/** Calls the API of the realm. Throws an ApiError; where the session is over, the frame asks to sign in again. */
export async function call(method: Method, path: string, options?: AnyOptions) {
  try {
    return await told(await mine!.request(method, path, options))
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && !leaving.value) sessionOver.value = true
    throw await spoken(error)
  }
}

/** Calls an API as nobody, from the pages of signing in; what answers a session sets its cookie. */
export const callBefore = (api: Realm['api'], method: Method, path: string, options?: AnyOptions) =>
  clientOf({ api, path: '/sign-in' })
    .request(method, path, options)
    .then(told)
    .catch(async (error) => {
      throw await spoken(error)
    })

export { ApiError }
