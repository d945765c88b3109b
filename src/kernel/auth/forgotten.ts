/** A forgotten password. The question takes as long for an unknown address as for a known one: a job looks it up and mails the link. */
import { z } from 'zod'
import { inPublic, originOf, type PublicCtx } from '../context.ts'
import { defineJob } from '../jobs/job.ts'
import { email } from '../values/fields.ts'
import { findAccount } from './accounts.ts'
import { mailLink } from './links.ts'
import type { Realm } from './realm.ts'
import { workspaceName } from './sign-in.ts'
import { liveOneTimeTokens } from './tokens.ts'

export const ForgotPassword = z.object({ email: email(), workspace: workspaceName })

/** Links that an account has at most. Who asks for more gets none: a stranger's questions don't end the link that its owner just got. */
const MAX_LINKS = 5

/** Mails a reset link to every account that an address may mean. */
export const forgottenPassword = (realm: Realm) =>
  defineJob({
    name: `forgotten-password-${realm.api}`,
    data: z.object({ email: z.string(), workspace: z.string().optional() }),
    run: (services, data) =>
      inPublic(originOf(services), 'write', async (ctx) => {
        for (const candidate of await realm.candidates(ctx, { ...data, proven: false })) {
          const account = await findAccount(ctx, candidate)
          if (account && (await liveOneTimeTokens(ctx, candidate, 'reset-password')) < MAX_LINKS)
            await mailLink(ctx, candidate, 'reset-password', account)
        }
      }),
  })

/** Says the same of any address. */
export async function askForReset(ctx: PublicCtx, realm: Realm, sent: z.output<typeof ForgotPassword>) {
  const workspace = await realm.workspaceOf(ctx, sent)
  await ctx.services.queue.send(ctx, forgottenPassword(realm), { email: sent.email, workspace })
}
