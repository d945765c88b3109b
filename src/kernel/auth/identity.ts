/** What GET /me says of an API key, and of somebody of the platform in a workspace: who it is, where, and what they may. */
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

export const KeyIdentity = z
  .object({
    actor: z.object({
      id: z.int(),
      name: z.string(),
      email: z.string().nullable(),
      type: z.enum(['user', 'service_account']).describe('A person, or an account that programs have.'),
    }),
    /** null: on the platform. Written out: a reference that may be null can't be told apart in the union of replies of GET /me. */
    workspace: z.object(Workspace.shape).nullable(),
    scopes: z.array(z.string()).meta({ description: 'What the key may do: names of permissions.', examples: [['fleet.view']] }),
    modules: z.array(z.string()).meta({ description: 'Keys of the modules that work in the workspace.', examples: [['fleet']] }),
  })
  .meta({ id: 'KeyIdentity' })

export function identityOf(ctx: BaseCtx & { actor: Actor }): z.input<typeof KeyIdentity> {
  const { id, name, email } = ctx.actor
  const inside = 'tenant' in ctx ? (ctx as unknown as Ctx) : undefined
  return {
    actor: { id: id!, name, email: email || null, type: email ? 'user' : 'service_account' },
    workspace: inside?.tenant ?? null,
    scopes: ctx.actor.key?.scopes ?? ['*'], // in person, all that they may there
    modules: inside ? [...ctx.services.modules.workspace.keys()].filter(inside.entitled).sort() : [],
  }
}
