import { z } from 'zod'
import { askForProof } from '#kernel/auth/addresses.ts'
import { checkPasswordRules, confirmed, hashPassword, mismatch, newPassword } from '#kernel/auth/passwords.ts'
import type { PublicCtx, PublicSteps } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import { limiter } from '#kernel/http/limits.ts'
import { open } from '#kernel/http/route.ts'
import { platformSetting } from '#kernel/modules/platform-settings.ts'
import { email, instant, text } from '#kernel/values/fields.ts'
import { admits, redeemInvite } from '#platform/beta-applications/public.ts'
import { lockRegistrations, noteUnproven, PROOF_DAYS, provision, refuseTooMany } from '#platform/tenants/public.ts'

/** CEN-60. */
const Registration = z
  .object({
    company_name: text(255).meta({ description: 'Name of the firm.', examples: ['Nordwind GmbH'] }),
    owner_name: text(255).meta({ description: 'Name of the first user, who owns the workspace.', examples: ['Ann Ash'] }),
    email: email(),
    ...newPassword,
    invite_token: z
      .string()
      .max(200)
      .nullish()
      .meta({
        description: 'What an invitation’s link carries. Needed while registration is closed.',
        examples: ['Jm3rVtq0o8nWc5xYb1dKfA'],
      }),
  })
  .refine(confirmed, mismatch)

const Registered = z.object({
  id: z.int(),
  uuid: z.string(),
  company_name: z.string(),
  workspace_name: z.string(),
  slug: z.string(),
  domain: z
    .string()
    .meta({ description: 'Where its pages are: the slug below the platform’s domain.', examples: ['nordwind.atrium.example'] }),
  created_at: instant(),
  owner: z.object({ id: z.int(), name: z.string(), email: z.string() }).describe('The user who owns the workspace.'),
})

const registerWorkspace = limiter({ name: 'register-workspace', points: 60, seconds: 60, by: 'ip' })

export default [
  open.multiTransaction.post(
    '/register-workspace',
    {
      allow: 'anybody',
      errors: [403],
      limit: registerWorkspace,
      body: Registration,
      reply: Registered,
      status: 201,
      message: 'Welcome. Verify your e-mail address, then sign in.',
      description:
        'Makes a workspace and its owner, and mails the owner a link to prove the address. 403 while registration is closed and no valid invitation is sent.',
    },
    (steps, { body }) => register(steps, body),
  ),
]

/** Creates the workspace. An invitation admits any address once and becomes activated. */
async function register(steps: PublicSteps, body: z.output<typeof Registration>): Promise<z.input<typeof Registered>> {
  const token = body.invite_token
  await steps.read(async (ctx) => {
    if (!(token ? await admits(ctx, token) : await isOpen(ctx))) throw await refusal(ctx)
    if (!token) await refuseTooMany(ctx)
    await checkPasswordRules(ctx, body.password)
  })
  const password_hash = await hashPassword(body.password)
  return steps.finish(async (ctx) => {
    if (token && !(await redeemInvite(ctx, token))) throw await refusal(ctx)
    await lockRegistrations(ctx)
    if (!token) await refuseTooMany(ctx)
    const owner = { name: body.owner_name, email: body.email }
    const { id, ownerId } = await provision(ctx, {
      company_name: body.company_name,
      email: body.email,
      owner: { ...owner, password_hash, unasked: true },
    })
    if (await noteUnproven(ctx, id, owner.email))
      await askForProof(ctx, { tenant_id: id, user_id: ownerId }, { ...owner, password_hash }, note)
    const tenant = await ctx.tx
      .selectFrom('tenants')
      .select(['id', 'uuid', 'company_name', 'workspace_name', 'slug', 'created_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return { ...tenant, domain: `${tenant.slug}.${ctx.services.config.PLATFORM_DOMAIN}`, owner: { id: ownerId, ...owner } }
  })
}

const note = `A workspace whose address is not confirmed within ${PROOF_DAYS} days is removed.`

const isOpen = (ctx: PublicCtx) => platformSetting(ctx, 'registration_enabled')

/**
 * Returns the error for a rejected registration. While registration is closed, an invalid invitation isn't distinguished from
 * none (CEN-61).
 */
const refusal = async (ctx: PublicCtx) =>
  (await isOpen(ctx))
    ? invalid({ invite_token: 'This invitation is not valid any more. Leave it out, or ask for a new one.' })
    : forbidden('Registration is closed.')
