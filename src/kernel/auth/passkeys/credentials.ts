/** Results of the browser's `navigator.credentials`, as JSON (WebAuthn level 3). */
import { z } from 'zod'

const base64url = (max: number) =>
  z
    .string()
    .min(1, 'Must not be empty.')
    .max(max, `Must have at most ${max} characters.`)
    .regex(/^[A-Za-z0-9_-]+$/, 'Must be base64url.')

/** At most 1,023 bytes. */
const credentialId = base64url(1364)
const clientDataJSON = base64url(4000).meta({
  description: 'As the browser gave it.',
  examples: ['eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0'],
})
const common = {
  id: credentialId.meta({ description: 'What the authenticator calls the credential.', examples: ['AbCdEf012345'] }),
  rawId: credentialId.meta({ description: 'The same as `id`.', examples: ['AbCdEf012345'] }),
  type: z.literal('public-key', 'Must be public-key.').describe('Always `public-key`.'),
  clientExtensionResults: z
    .record(z.string().max(100), z.unknown())
    .describe('What extensions of the browser answered; nothing is read of it.')
    .default({}),
}

/** Result of `navigator.credentials.create()`. */
export const NewCredential = z.object({
  ...common,
  response: z
    .object({
      clientDataJSON,
      attestationObject: base64url(20_000).meta({ description: 'As the browser gave it.', examples: ['o2NmbXRkbm9uZQ'] }),
    })
    .describe('What the authenticator answered.'),
})

/** Result of `navigator.credentials.get()`. */
export const UsedCredential = z.object({
  ...common,
  response: z
    .object({
      clientDataJSON,
      authenticatorData: base64url(4000).meta({
        description: 'As the browser gave it.',
        examples: ['SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2M'],
      }),
      signature: base64url(8000).meta({ description: 'As the browser gave it.', examples: ['MEUCIQDx'] }),
      userHandle: base64url(100).meta({ description: 'As the browser gave it.', examples: ['dXNlcjo3'] }),
    })
    .describe('What the authenticator answered.'),
})

/** Options for `navigator.credentials`, and the one-time token that must be sent back with the result. */
export const Options = z.object({
  options_token: z
    .string()
    .meta({ description: 'To be sent back with the browser’s answer, within minutes.', examples: ['Jm3rVtq0o8nWc5xYb1dKfA'] }),
  options: z
    .looseObject({
      challenge: z
        .string()
        .meta({ description: 'Random bytes that the authenticator signs, as base64url.', examples: ['Y2hhbGxlbmdl'] }),
    })
    .describe('For `navigator.credentials`, its bytes as base64url.'),
})
