/** What a browser's `navigator.credentials` answers, as JSON (WebAuthn level 3). */
import { z } from 'zod'

const base64url = (max: number) =>
  z
    .string()
    .min(1, 'Must not be empty.')
    .max(max, `Must have at most ${max} characters.`)
    .regex(/^[A-Za-z0-9_-]+$/, 'Must be base64url.')

/** At most 1,023 bytes. */
const credentialId = base64url(1364)
const clientDataJSON = base64url(4000)
const common = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key', 'Must be public-key.'),
  clientExtensionResults: z.record(z.string().max(100), z.unknown()).default({}),
}

export const NewCredential = z.object({
  ...common,
  response: z.object({ clientDataJSON, attestationObject: base64url(20_000) }),
})

export const UsedCredential = z.object({
  ...common,
  response: z.object({
    clientDataJSON,
    authenticatorData: base64url(4000),
    signature: base64url(8000),
    userHandle: base64url(100),
  }),
})

/** What a page passes to `navigator.credentials`, and the token that its answer brings back, once. */
export const Options = z.object({
  options_token: z.string(),
  options: z.looseObject({ challenge: z.string() }),
})
