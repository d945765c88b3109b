/** Schemas of API keys in requests and replies. */
import { z } from 'zod'
import { isNetwork } from '../../networks.ts'
import { changesOf, instant, moment, shownOnce, text } from '../../values/fields.ts'

const scopes = z
  .array(z.string().max(100))
  .min(1, 'Must name at least one scope.')
  .max(500)
  .transform((names) => [...new Set(names)])
  .meta({
    description:
      'What the key may do of what its owner may: names of permissions. `GET /api-keys/scopes` lists those of one’s own.',
    examples: [['fleet.view', 'fleet.create']],
    'x-choices': { path: '/api-keys/scopes', field: 'name', about: 'description' },
  })
const networks = z
  .array(z.string().trim().max(50).refine(isNetwork, 'Must be a network such as 192.0.2.0/24 or 2001:db8::/32.'))
  .max(50)
  .meta({ description: 'Networks from which it is good, as CIDR; none: from anywhere.', examples: [['192.0.2.0/24']] })
/** Expiry: an instant in the future. */
const expiry = moment('2027-01-31T12:00:00Z').nullish()

export const CreateKey = z.object({ name: text(255), scopes, expires_at: expiry, allowed_networks: networks.default([]) })
export const UpdateKey = changesOf(z.object({ name: text(255), scopes, expires_at: expiry, allowed_networks: networks }))
/** Hours for which the former secret stays valid. */
export const RotateKey = z.object({
  overlap_hours: z
    .int('Must be a whole number of hours.')
    .min(0, 'Must be 0 or more.')
    .max(168, 'Must be at most 168.')
    .default(24)
    .meta({ description: 'For how many hours the former secret goes on working.', examples: [24] }),
})

/** A permission that a key can have. */
export const KeyScope = z
  .object({
    name: z.string().meta({ description: 'As `scopes` takes it.', examples: ['fleet.view'] }),
    group: z.string().meta({ description: 'The module that it is of.', examples: ['Vendors'] }),
    description: z.string().meta({ description: 'What it lets a program do.', examples: ['See vendors'] }),
  })
  .meta({ id: 'KeyScope' })

const shape = {
  id: z.int(),
  name: z.string(),
  scopes: z.array(z.string()).meta({
    description: 'What the key may do of what its owner may: names of permissions.',
    examples: [['fleet.view', 'fleet.create']],
  }),
  prefix: z.string().meta({ description: 'How the key begins: by it its owner knows it again.', examples: ['atr_1_ab12'] }),
  allowed_networks: z
    .array(z.string())
    .meta({ description: 'Networks from which it is good, as CIDR; none: from anywhere.', examples: [['192.0.2.0/24']] }),
  last_used_at: instant().nullable(),
  last_used_ip: z
    .string()
    .nullable()
    .meta({ description: 'IP address from which it was last used; null: never.', examples: ['203.0.113.7'] }),
  expires_at: instant().nullable(),
  revoked_at: instant().nullable().describe('When it was revoked; null: it is live.'),
  created_at: instant(),
}
/** An API key in replies, without its secret. */
export const ApiKey = z.object(shape).meta({ id: 'ApiKey' })
/** A key with its secret, which is returned only once. */
export const NewApiKey = z
  .object({
    ...shape,
    key: shownOnce().meta({
      description: 'The key itself: `Authorization: Bearer <key>`. Told this once.',
      examples: ['atr_1_Jm3rVtq0o8nWc5xYb1dKfA'],
    }),
  })
  .meta({ id: 'NewApiKey' })
