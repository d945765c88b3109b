/** Routes of API keys, in both APIs. They can't be used with an API key. */
import { z } from 'zod'
import type { AccessRules } from '../../http/auth-strategies.ts'
import { limiter } from '../../http/limits.ts'
import type { platform, Route } from '../../http/route.ts'
import { accountOf } from '../accounts.ts'
import { createKey, findKey, type KeyCtx, type KeyOwner, keysOf, revokeKey, rotateKey, updateKey } from './keys.ts'
import { ApiKey, CreateKey, KeyScope, NewApiKey, RotateKey, UpdateKey } from './schema.ts'

const making = limiter({ name: 'api-keys', points: 300, seconds: 60, by: 'user' })

interface KeyRoutes<A extends string> {
  /** Path below which they are: `/` or `/:id/keys`. */
  at: '/' | '/:id/keys'
  access: AccessRules<A>
  /** Returns the owner of the keys. Throws 404 if there is no such account. */
  ownerOf(ctx: KeyCtx, id: number): Promise<KeyOwner>
}

/** Routes of the user's own keys. */
export const ownKeyRoutes = (makers: typeof platform): Route[] => [
  makers.get(
    '/scopes',
    {
      allow: 'signed-in',
      inPerson: true,
      reply: z.array(KeyScope),
      operation: 'listKeyScopes',
      summary: 'List what keys can be given',
      description: 'Answers what a key of one’s own can be given: the permissions that one holds, of what is installed.',
    },
    async (ctx) => scopesOf(ctx),
  ),
  ...keyRoutes(makers, {
    at: '/',
    access: { allow: 'signed-in', inPerson: true },
    ownerOf: async (ctx) => accountOf(ctx),
  }),
]

/** Returns the actor's permissions in installed modules. */
function scopesOf(ctx: KeyCtx & { entitled?: (module: string) => boolean }): z.input<typeof KeyScope>[] {
  const { modules } = ctx.services
  const surface = 'tenant' in ctx ? 'workspace' : 'platform'
  const titles = new Map(modules.all.filter((module) => module.surface === surface).map(({ key, title }) => [key, title]))
  return modules
    .permissions(surface)
    .filter(({ name, group }) => ctx.can(name as never) && (ctx.entitled?.(group) ?? true))
    .map(({ name, group, description }) => ({ name, group: titles.get(group) ?? group, description }))
}

/** GET and POST of an account's keys, PUT and DELETE of one, and its rotation. */
export function keyRoutes<A extends string>(makers: typeof platform, { at, access, ownerOf }: KeyRoutes<A>): Route[] {
  const { get, post, put, del } = makers
  const rules = access as AccessRules<never>
  const one = (at === '/' ? '/:id' : '/:id/keys/:apiKey') as '/:id'
  const keyId = (input: object) => (input as Record<string, number>)[at === '/' ? 'id' : 'apiKey']!
  // Platform accounts may also act in workspaces.
  const every = (ctx: KeyCtx) =>
    [...('tenant' in ctx ? [] : (['platform'] as const)), 'workspace' as const].flatMap((api) =>
      ctx.services.modules.permissions(api).map(({ name }) => name),
    )
  const owner = (ctx: KeyCtx, input: object) => ownerOf(ctx, (input as { id: number }).id)
  // 404 for an unknown account precedes validation of the body.
  const ofOwner = at === '/' ? {} : { record: ownerOf }
  const ofKey = {
    ...rules,
    record: async (ctx: KeyCtx, id: number, params: object) => {
      const owner = await ownerOf(ctx, id)
      await findKey(ctx, owner, keyId(params))
      return owner
    },
  }
  return [
    get(at, { ...rules, reply: z.array(ApiKey) }, async (ctx, input) => keysOf(ctx, await owner(ctx, input))),
    post(
      at,
      {
        ...rules,
        ...ofOwner,
        limit: making,
        body: CreateKey,
        reply: NewApiKey,
        status: 201,
        message: 'API key created. It is shown this once.',
      },
      async (ctx, input) => createKey(ctx, input.record ?? (await owner(ctx, input)), every(ctx), input.body),
    ),
    put(one, { ...ofKey, body: UpdateKey, reply: ApiKey, message: 'API key saved.' }, (ctx, input) =>
      updateKey(ctx, input.record, every(ctx), keyId(input), input.body),
    ),
    post(
      `${one}/rotate`,
      {
        ...ofKey,
        limit: making,
        body: RotateKey,
        reply: NewApiKey,
        message: 'API key rotated. The new one is shown this once.',
        description:
          'Gives the key another secret, told once; the former one works for `overlap_hours` more. Of several rotations in a row the last two former ones do, each for as long as was said; with 0 none does.',
      },
      (ctx, input) => rotateKey(ctx, input.record, keyId(input), input.body),
    ),
    del(
      one,
      {
        ...ofKey,
        message: 'API key revoked.',
        description:
          'Ends the key at once, in every process, and for good. It stays listed with `revoked_at` for 90 days at least. One that was revoked before is left as it is.',
      },
      (ctx, input) => revokeKey(ctx, input.record, keyId(input)),
    ),
  ]
}
