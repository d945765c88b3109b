/** The routes of one's own API keys, in both APIs. No key makes, changes or ends one. */
import { z } from 'zod'
import type { AccessRules } from '../../http/auth-strategies.ts'
import { limiter } from '../../http/limits.ts'
import type { platform, Route } from '../../http/route.ts'
import { accountOf } from '../accounts.ts'
import { createKey, type KeyCtx, type KeyOwner, keysOf, revokeKey, rotateKey, updateKey } from './keys.ts'
import { ApiKey, CreateKey, NewApiKey, RotateKey, UpdateKey } from './schema.ts'

const making = limiter({ name: 'api-keys', points: 300, seconds: 60, by: 'user' })

interface KeyRoutes<A extends string> {
  /** Where they hang: `/`, `/:id/keys`. */
  at: '/' | '/:id/keys'
  access: AccessRules<A>
  /** Whose keys they are. 404 where there is no such account. */
  ownerOf(ctx: KeyCtx, id: number): Promise<KeyOwner>
}

/** One's own keys. */
export const ownKeyRoutes = (makers: typeof platform) =>
  keyRoutes(makers, {
    at: '/',
    access: { allow: 'signed-in', inPerson: true },
    ownerOf: async (ctx) => accountOf(ctx),
  })

/** GET and POST of the keys of an account, DELETE and PUT of one, and its rotation. */
export function keyRoutes<A extends string>(makers: typeof platform, { at, access, ownerOf }: KeyRoutes<A>): Route[] {
  const { get, post, put, del } = makers
  const rules = access as AccessRules<never>
  const one = at === '/' ? '/:id' : '/:id/keys/:apiKey'
  const keyId = (input: object) => (input as Record<string, number>)[at === '/' ? 'id' : 'apiKey']!
  const owner = (ctx: KeyCtx, input: object) => ownerOf(ctx, (input as { id: number }).id)
  const every = (ctx: KeyCtx) =>
    ctx.services.modules.permissions('tenant' in ctx ? 'workspace' : 'platform').map(({ name }) => name)
  return [
    get(at, { ...rules, reply: z.array(ApiKey) }, async (ctx, input) => keysOf(ctx, await owner(ctx, input))),
    post(
      at,
      {
        ...rules,
        limit: making,
        body: CreateKey,
        reply: NewApiKey,
        status: 201,
        message: 'API key created. It is shown this once.',
      },
      async (ctx, input) => createKey(ctx, await owner(ctx, input), every(ctx), input.body),
    ),
    put(one as '/:id', { ...rules, body: UpdateKey, reply: ApiKey, message: 'API key saved.' }, async (ctx, input) =>
      updateKey(ctx, await owner(ctx, input), every(ctx), keyId(input), input.body),
    ),
    post(
      `${one as '/:id'}/rotate`,
      {
        ...rules,
        limit: making,
        body: RotateKey,
        reply: NewApiKey,
        message: 'API key rotated. The new one is shown this once.',
        description: 'Gives the key another secret, told once; the former one works for `overlap_hours` more.',
      },
      async (ctx, input) => rotateKey(ctx, await owner(ctx, input), keyId(input), input.body),
    ),
    del(one as '/:id', { ...rules, message: 'API key revoked.' }, async (ctx, input) =>
      revokeKey(ctx, await owner(ctx, input), keyId(input)),
    ),
  ]
}
