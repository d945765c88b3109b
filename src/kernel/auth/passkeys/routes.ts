/** Routes of passkeys, the same in both APIs. */
import { z } from 'zod'
import { authSensitive, limiter } from '../../http/limits.ts'
import { open, type Route } from '../../http/route.ts'
import { accountOf } from '../accounts.ts'
import { signedInReply } from '../opening.ts'
import { GivenPassword } from '../passwords.ts'
import { inPersonRoute, type Realm, selfRoute } from '../realm.ts'
import { Options } from './credentials.ts'
import {
  AddPasskey,
  addPasskey,
  confirmPasskey,
  optionsToAdd,
  ownPasskey,
  Passkey,
  passkeysOf,
  removePasskey,
} from './passkeys.ts'
import { optionsToSignIn, PasskeyLogin, signInByPasskey } from './sign-in.ts'

const optionsByAddress = limiter({ name: 'passkey-options', points: 60, seconds: 60, by: 'ip' })
/** Maximum body size. Extensions add data to a credential that the schema doesn't limit. */
const CREDENTIAL_BYTES = 64 * 1024
const byOptions = limiter({ name: 'passkey-login', points: 5, seconds: 60, by: { field: 'options_token' } })

export function passkeyRoutes(realm: Realm): Route[] {
  const { get, multiTransaction } = realm.signedIn
  const anybody = { allow: 'anybody' } as const
  return [
    open.multiTransaction.get(
      '/auth/passkeys/login/options',
      {
        summary: 'Options to sign in by a passkey',
        description: 'Answers what a browser needs for `navigator.credentials.get()`, and a token to send back with its answer.',
        ...anybody,
        limit: optionsByAddress,
        reply: Options,
      },
      (steps) => optionsToSignIn(steps, realm),
    ),
    open.multiTransaction.post(
      '/auth/passkeys/login',
      {
        operation: 'loginByPasskey',
        summary: 'Sign in by a passkey',
        description:
          'Answers a bearer token for the browser’s answer to the options. A passkey needs no second factor beside it.',
        ...anybody,
        errors: [401, 403],
        limit: byOptions,
        notIdempotent: true,
        body: PasskeyLogin,
        maxBytes: CREDENTIAL_BYTES,
        reply: signedInReply(realm),
        message: 'Signed in.',
      },
      (steps, { body }) => signInByPasskey(steps, realm, body) as never,
    ),
    get(
      '/me/passkeys',
      { ...selfRoute, description: 'Answers all passkeys of the caller, suspended ones too.', reply: z.array(Passkey) },
      (ctx) => passkeysOf(ctx, accountOf(ctx)),
    ),
    multiTransaction.get(
      '/me/passkeys/options',
      {
        summary: 'Options to add a passkey',
        description:
          'Answers what a browser needs for `navigator.credentials.create()`, and a token to send back with its answer.',
        ...inPersonRoute,
        reply: Options,
      },
      (steps) => optionsToAdd(steps, realm, accountOf(steps)),
    ),
    multiTransaction.post(
      '/me/passkeys',
      {
        summary: 'Add a passkey',
        description: 'Keeps the passkey that the browser made, after the password was proven. The owner is told by mail.',
        ...inPersonRoute,
        limit: authSensitive,
        notIdempotent: true,
        body: AddPasskey,
        maxBytes: CREDENTIAL_BYTES,
        reply: Passkey,
        status: 201,
        message: 'Passkey added.',
      },
      (steps, { body }) => addPasskey(steps, accountOf(steps), body),
    ),
    multiTransaction.post(
      '/me/passkeys/:passkey/confirm',
      {
        operation: 'confirmMyPasskey',
        summary: 'Confirm a passkey that was suspended',
        description: 'Lets a suspended passkey open the account again, by the password.',
        ...inPersonRoute,
        limit: authSensitive,
        record: (ctx, id: number) => ownPasskey(ctx, accountOf(ctx), id),
        body: z.object({ password: GivenPassword }),
        reply: Passkey,
        message: 'Passkey confirmed.',
      },
      (steps, { passkey, body }) => confirmPasskey(steps, accountOf(steps), passkey, body.password),
    ),
    multiTransaction.del(
      '/me/passkeys/:passkey',
      {
        ...inPersonRoute,
        limit: authSensitive,
        record: (ctx, id: number) => ownPasskey(ctx, accountOf(ctx), id),
        body: z.object({ password: GivenPassword }),
        description: 'Removes a passkey, by the password. It opens nothing any more.',
        message: 'Passkey removed.',
      },
      (steps, { passkey, body }) => removePasskey(steps, accountOf(steps), passkey, body.password),
    ),
  ]
}
