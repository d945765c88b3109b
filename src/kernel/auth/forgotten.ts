/**
 * Forgotten passwords. The request takes equally long for known and unknown addresses: a job looks up the account and mails the
 * link.
 */
import { z } from 'zod'
import { type BaseCtx, inPublic, originOf, type PublicCtx } from '../context.ts'
import { defineJob, type PlatformJob } from '../jobs/job.ts'
import { email } from '../values/fields.ts'
import { type Account, findAccount } from './accounts.ts'
import { mailLink } from './links.ts'
import type { Realm } from './realm.ts'
import { workspaceName } from './sign-in.ts'
import { liveOneTimeTokens } from './tokens.ts'

export const ForgotPassword = z.object({ email: email(), workspace: workspaceName })

/**
 * Maximum number of valid links per account. Further requests send none, so that a stranger's requests don't invalidate the
 * owner's link.
 */
const MAX_LINKS = 5

const Forgotten = z.object({
  email: z.string(),
  workspace: z.string().optional(),
  /** One of the accounts that have the address. */
  account: z.object({ tenant_id: z.int().nullable(), user_id: z.int() }).optional(),
})

/**
 * Mails a reset link to every account with the address. With several accounts, each gets its own job, because on a cluster one
 * account's workspace may be unavailable while others aren't.
 */
export const forgottenPassword = (realm: Realm): PlatformJob<z.output<typeof Forgotten>> => {
  const job = defineJob({
    name: `forgotten-password-${realm.api}`,
    data: Forgotten,
    run: (services, data) =>
      inPublic(originOf(services), 'write', async (ctx) => {
        const meant = data.account ? [data.account] : await realm.candidates(ctx, { ...data, proven: false })
        if (meant.length === 1) return mailReset(ctx, meant[0]!)
        for (const { tenant_id, user_id } of meant)
          await services.queue.send(ctx, job, { email: data.email, account: { tenant_id, user_id } })
      }),
  })
  return job
}

async function mailReset(ctx: BaseCtx, account: Account) {
  const found = await findAccount(ctx, account)
  if (found && (await liveOneTimeTokens(ctx, account, 'reset-password')) < MAX_LINKS)
    await mailLink(ctx, account, 'reset-password', found)
}

/** Requests a reset. The reply is the same for every address. */
export async function askForReset(ctx: PublicCtx, realm: Realm, sent: z.output<typeof ForgotPassword>) {
  const workspace = await realm.workspaceOf(ctx, sent)
  await ctx.services.queue.send(ctx, forgottenPassword(realm), { email: sent.email, workspace })
}
