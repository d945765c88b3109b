/** Trying an account's settings before they are saved (EML-07): 422 on the field that is to blame. */
import type { z } from 'zod'
import type { WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { Server } from '../connections/credentials.ts'
import { MailServerError, type Side } from '../connections/failures.ts'
import { openMailbox } from '../connections/mailbox.ts'
import { type Owner, waitForSlot } from '../connections/slots.ts'
import { openSubmission } from '../connections/submission.ts'
import { refuseInternal } from './accounts.ts'
import type { ConnectionTest, CreateAccount } from './schema.ts'

type Body = z.output<typeof CreateAccount>

export async function testConnection(
  { services, tenant, actor }: WorkspaceSteps,
  body: Body,
): Promise<z.input<typeof ConnectionTest>> {
  refuseInternal(services, body)
  const owner = { tenantId: tenant.id, userId: actor.id! }
  const tried = await Promise.allSettled([
    openMailbox(services, serverIn(body, 'imap', owner)).then((mailbox) => mailbox.close()),
    waitForSlot(services, owner).then((leave) =>
      openSubmission(services, serverIn(body, 'smtp', owner))
        .then((submission) => submission.close())
        .finally(leave),
    ),
  ])
  const wrong: Record<string, string> = {}
  for (const one of tried) {
    if (one.status === 'fulfilled') continue
    if (!(one.reason instanceof MailServerError)) throw one.reason
    wrong[one.reason.field] = one.reason.message
  }
  if (Object.keys(wrong).length) throw invalid(wrong)
  return { imap: { ok: true }, smtp: { ok: true } }
}

const serverIn = (body: Body, side: Side, owner: Owner): Server => ({
  side,
  owner,
  host: body[`${side}_host`],
  port: body[`${side}_port`],
  encryption: body[`${side}_encryption`],
  username: body[`${side}_username`],
  password: body[`${side}_password`],
})
