import type { AnyClient, Client, PlatformClient, WorkspaceClient } from './client.ts'
import { ApiError } from './error.ts'
import type { BodyOf, DataOf, OperationOf } from './types.ts'

type Login<Paths> = OperationOf<Paths, '/auth/login', 'post'>
/** Signed-in user with their permissions. */
export type Session<Paths> = DataOf<OperationOf<Paths, '/auth/two-factor/challenge', 'post'>>

export type Credentials<Paths> = BodyOf<Login<Paths>> & {
  /**
   * Returns a code of the second factor, or a recovery code. Called if the account has a second factor, and again with `error`
   * after a wrong code. An error it throws ends the sign-in.
   */
  secondFactor?: (error?: ApiError) => string | Promise<string>
}

/**
 * Signs in with e-mail address and password, and uses the session for later calls. Throws an `ApiError`: `INVALID_CREDENTIALS`,
 * or `SECOND_FACTOR_REQUIRED` if the account has a second factor and `secondFactor` is missing.
 */
export async function signIn<C extends WorkspaceClient | PlatformClient>(
  client: C,
  { secondFactor, ...credentials }: C extends Client<infer Paths> ? Credentials<Paths> : never,
): Promise<C extends Client<infer Paths> ? Session<Paths> : never> {
  const any: AnyClient = client
  let { data } = await any.request('post', '/auth/login', { body: credentials })
  const { challenge_token } = data
  for (let error: ApiError | undefined; data.two_factor_required; ) {
    if (!secondFactor)
      throw new ApiError({
        status: 401,
        code: 'SECOND_FACTOR_REQUIRED',
        message: 'This account has a second factor: give `secondFactor`.',
      })
    const code = await secondFactor(error)
    try {
      ;({ data } = await any.request('post', '/auth/two-factor/challenge', { body: { challenge_token, code } }))
    } catch (refusal) {
      if (!(refusal instanceof ApiError && refusal.fields.code)) throw refusal
      error = refusal
    }
  }
  any.token = data.token
  return data
}

/** Ends the session. Later calls are unauthenticated. */
export async function signOut(client: WorkspaceClient | PlatformClient): Promise<void> {
  const any: AnyClient = client
  await any.request('post', any.api === 'platform' ? '/me/logout' : '/auth/logout', { body: {} })
  any.token = undefined
}
