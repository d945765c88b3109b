/**
 * Sending a draft (EML-20). A message is handed to the SMTP server at most once: before the first byte of it leaves, it is noted
 * as `sending`; whoever finds it so later can't know what became of it, and leaves it to its writer to send it again.
 */
import { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { WorkspaceJob } from '#kernel/jobs/job.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import type { Row } from '#kernel/records/resource.ts'
import { serverOf } from '../connections/credentials.ts'
import { MailServerError } from '../connections/failures.ts'
import { NotTaken, openSubmission } from '../connections/submission.ts'
import { folderOfType } from '../folders/local-folders.ts'
import { type MessageRow, messages } from '../messages/messages.ts'
import { requestSync } from '../sync/jobs.ts'
import { mimeOf, peopleIn } from './mime.ts'

const Data = z.object({ message_id: z.int() })
type Data = z.output<typeof Data>

const UNKNOWN =
  'The connection broke while it was handed over: it may have been sent. Ask its recipients before you send it again.'

/**
 * One message of a workspace at a time, so that a slow server holds up the mail of its own workspace alone; and of accounts whose server was slow or failed the last
 * time by a job of their own, so that it holds up that of its own account alone.
 */
const sendingJob = (name: string, { slow }: { slow: boolean }): WorkspaceJob<Data> =>
  defineWorkspaceJob({
    name,
    data: Data,
    unique: 'running',
    concurrency: 4,
    expireSeconds: 300,
    transactions: 'own',
    run: (steps, data) => deliver(steps, data, slow),
    failed: (ctx, data, error) => fail(ctx, data, error instanceof MailServerError ? error.message : 'It could not be sent.'),
  })
export const sendMessage = sendingJob('email-send', { slow: false })
export const sendSlowly = sendingJob('email-send-slow', { slow: true })

/** 422 on `status` for what was sent, or is under way; on `to` without anybody. */
export async function queueDraft(ctx: Ctx, message: MessageRow) {
  if (message.status !== 'draft' && message.status !== 'failed')
    throw invalid({
      status: message.status === 'received' ? 'Only drafts can be sent.' : `The message is ${message.status} already.`,
    })
  if (!peopleIn(message).length) throw invalid({ to: 'Name a recipient.' })
  await messages.save(ctx, message, { status: 'queued', error: null, date: ctx.now })
  await ctx.services.queue.send(ctx, sendMessage, { message_id: message.id })
}

async function deliver(steps: WorkspaceSteps, data: Data, slow: boolean) {
  const found = await steps.read((ctx) => toSend(ctx, data))
  if (found?.message.status === 'sending') return steps.write((ctx) => fail(ctx, data, UNKNOWN))
  if (found?.message.status !== 'queued') return
  const { message, account } = found
  if (account.send_slow && !slow) return steps.write(async (ctx) => void (await ctx.services.queue.send(ctx, sendSlowly, data)))
  const mime = await mimeOf(message, { keepBcc: false })
  const submission = await openSubmission(steps.services, serverOf(steps.services, account, 'smtp')).catch(async (error) => {
    await steps.write((ctx) => noteSlow(ctx, account, true))
    throw error // tried again later
  })
  try {
    if (!(await steps.write((ctx) => step(ctx, data, 'queued', { status: 'sending' })))) return
    const rejected = await submission.send({ from: account.email_address, to: peopleIn(message) }, mime)
    await steps.write(async (ctx) => {
      await settle(ctx, message, rejected)
      await noteSlow(ctx, account, false)
    })
  } catch (error) {
    const isRefused = error instanceof NotTaken
    if (!isRefused)
      return steps.write(async (ctx) => {
        await fail(ctx, data, UNKNOWN)
        await noteSlow(ctx, account, true)
      })
    if (error.forGood) return steps.write((ctx) => fail(ctx, data, error.message))
    await steps.write((ctx) => step(ctx, data, 'sending', { status: 'queued' }))
    throw error // tried again later
  } finally {
    submission.close()
  }
}

async function noteSlow(ctx: Ctx, { id, send_slow: was }: Row<'email_accounts'>, send_slow: boolean) {
  if (was === send_slow) return
  await ctx.tx
    .updateTable('email_accounts')
    .set({ send_slow })
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
    .execute()
}

async function toSend(ctx: Ctx, { message_id }: Data) {
  const message = await rowOf(ctx, message_id).selectAll().executeTakeFirst()
  const account = await ctx.tx
    .selectFrom('email_accounts')
    .selectAll()
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', message?.account_id ?? 0)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return message && account && { message, account }
}

/** It is shown in Sent from now on; the next synchronisation lays it there on the server. */
async function settle(ctx: Ctx, { id, account_id, folder_id }: MessageRow, rejected: string[]) {
  const sent = await folderOfType(ctx, account_id, 'sent')
  await step(ctx, { message_id: id }, 'sending', {
    status: 'sent',
    folder_id: sent?.id ?? folder_id,
    append_pending: Boolean(sent?.remote_path),
    error: rejected.length ? `Refused for ${rejected.join(', ')}`.slice(0, 1000) : null,
  })
  await requestSync(ctx, account_id)
}

const rowOf = (ctx: Ctx, id: number) =>
  ctx.tx.selectFrom('email_messages').where('tenant_id', '=', ctx.tenant.id).where('id', '=', id)

/** Whether the message was in that state, and is changed. */
async function step(ctx: Ctx, { message_id }: Data, from: MessageRow['status'], changes: Partial<MessageRow>) {
  const { numUpdatedRows } = await ctx.tx
    .updateTable('email_messages')
    .set((eb) => ({ ...changes, updated_at: ctx.now, revision: eb('revision', '+', 1) }) as never)
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', message_id)
    .where('status', '=', from)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

async function fail(ctx: Ctx, data: Data, error: string) {
  for (const from of ['queued', 'sending'] as const) await step(ctx, data, from, { status: 'failed', error })
}
