/** GET /me for API keys, and for platform accounts in a workspace: the account, the workspace, and the permissions. */
import { z } from 'zod'
import type { Actor, BaseCtx, Ctx } from '../context.ts'

export const Workspace = z
  .object({
    id: z.int(),
    slug: z.string(),
    name: z.string(),
    timezone: z.string(),
    currency: z.string(),
    locale: z.string(),
  })
  .meta({ id: 'Workspace' })

/** Reply of GET /me for API keys and platform accounts. */
export const KeyIdentity = z
  .object({
    actor: z.object({
      id: z.int(),
      name: z.string(),
      email: z.string().nullable(),
      type: z.enum(['user', 'service_account']).describe('A person, or an account that programs have.'),
    }),
    /** null: on the platform. Inlined, because a nullable reference can't be discriminated in the union of replies of GET /me. */
    workspace: z.object(Workspace.shape).nullable(),
    scopes: z.array(z.string()).meta({ description: 'What the key may do: names of permissions.', examples: [['fleet.view']] }),
    modules: z.array(z.string()).meta({ description: 'Keys of the modules that work in the workspace.', examples: [['fleet']] }),
  })
  .meta({ id: 'KeyIdentity' })

/** Returns the identity of the actor. */
export function identityOf(ctx: BaseCtx & { actor: Actor }): z.input<typeof KeyIdentity> {
  const { id, name, email } = ctx.actor
  const inside = 'tenant' in ctx ? (ctx as unknown as Ctx) : undefined
  return {
    actor: { id: id!, name, email: email || null, type: email ? 'user' : 'service_account' },
    workspace: inside?.tenant ?? null,
    scopes: ctx.actor.key?.scopes ?? ['*'], // in a session, all permissions of the account
    modules: inside ? [...ctx.services.modules.workspace.keys()].filter(inside.entitled).sort() : [],
  }
}
