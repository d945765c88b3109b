/**
 * Sends drafts (EML-20). A message is handed to the SMTP server at most once: before its first byte is sent, it is stored as
 * `sending`. A worker that finds it in this state later can't know whether it was delivered, and leaves sending it again to its
 * author.
 *
 * Each workspace sends one message at a time in each of two queue tiers, so that a slow server delays only the mail of its own
 * workspace. Messages of accounts whose server was slow or failed the last time use a tier of their own, so that they only delay
 * each other. If the tier is busy, the message's row stores since when it waits; the job that finishes continues with the message
 * that has waited longest.
 *
 * Messages that the server defers (4xx, e.g. greylisting), or that can't be handed over because the server is unreachable, are
 * retried for a day without delaying others. Messages that it rejects for good (5xx) have failed. Messages that it accepts for
 * some recipients are sent, and list the recipients that are missing: see deferred.ts.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import { type BaseCtx, type Ctx, inPublic, originOf, type WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { defineJob, type WorkspaceJob } from '#kernel/jobs/job.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import type { Row } from '#kernel/records/resource.ts'
import { takeAcross } from '#kernel/tenancy/across.ts'
import { serverOf } from '../connections/credentials.ts'
import { MailServerError } from '../connections/failures.ts'
import { NotTaken, openSubmission, type Rejected } from '../connections/submission.ts'
import { tellChange } from '../events.ts'
import { folderOfType } from '../folders.ts'
import { type MessageRow, messages } from '../messages/messages.ts'
import { requestSync } from '../sync/jobs.ts'
import { postponeDeferred, rejectedAs } from './deferred.ts'
import { mimeOf, peopleIn } from './mime.ts'
import { pauseBefore } from './pauses.ts'
import { filesOf } from './stored-files.ts'

type Lane = 'fast' | 'slow'

interface Taken {
  message: MessageRow
  account: Row<'email_accounts'>
}

const MAX_FORGOTTEN = 500

/** Minimum pause between two tries of a message, in seconds. */
const SHORTEST_PAUSE = 30

/**
 * Lock under which a tier is taken and released: a message is noted as waiting before the release, or takes the tier after it, so
 * none waits unnoticed.
 */
const lockTurns = (ctx: Ctx) =>
  sql`select pg_advisory_xact_lock(hashtextextended('sending of messages', ${ctx.tenant.id}))`.execute(ctx.tx)

/**
 * Takes the tier for a message that is to be sent; `endSending` releases it. Returns the other tier if the message belongs there,
 * and `busy` if there is nothing to do now.
 */
async function takeSending(ctx: Ctx, messageId: number, lane: Lane): Promise<Taken | Lane | 'busy'> {
  await lockTurns(ctx)
  const message = await messageIn(ctx, messageId)
  const account = await accountsIn(ctx)
    .selectAll()
    .where('id', '=', message?.account_id ?? 0)
    .executeTakeFirst()
  if (!message || !account || !['queued', 'sending'].includes(message.status)) return 'busy'
  if (account.send_slow !== (lane === 'slow')) return lane === 'slow' ? 'fast' : 'slow'
  const holder = await accountsIn(ctx)
    .select('id')
    .where('send_slow', '=', account.send_slow)
    .where('send_leased_until', '>', sql<string>`statement_timestamp()`)
    .executeTakeFirst()
  await ctx
    .update('email_messages')
    .set({ send_waits_since: holder ? sql<string>`least(send_waits_since, statement_timestamp())` : null })
    .where('id', '=', message.id)
    .execute()
  if (holder) return 'busy'
  await renewSending(ctx, account)
  return { message, account }
}

/** Extends the lease by a minute. */
const renewSending = (ctx: Ctx, { id }: Row<'email_accounts'>) =>
  updateAccount(ctx, id, { send_leased_until: sql<string>`statement_timestamp() + interval '60 seconds'` })

/** Releases the tier and returns the message that has waited longest for it. */
async function endSending(
  ctx: Ctx,
  { id, send_slow: was }: Row<'email_accounts'>,
  send_slow: boolean,
): Promise<number | undefined> {
  await lockTurns(ctx)
  await updateAccount(ctx, id, { send_slow, send_leased_until: null })
  const { rows } = await sql<{ id: number }>`
    select m.id from email_messages m join email_accounts a on a.tenant_id = m.tenant_id and a.id = m.account_id
    where m.tenant_id = ${ctx.tenant.id} and m.send_waits_since is not null and (a.send_slow = ${was} or a.id = ${id})
    order by m.send_waits_since limit 1`.execute(ctx.tx)
  return rows[0]?.id
}

/** Returns one waiting message for each free tier, of all workspaces. */
function forgottenMessages(ctx: BaseCtx): Promise<{ tenant_id: number; id: number; lane: Lane }[]> {
  return takeAcross(
    ctx,
    async () => {
      const { rows } = await sql<{ tenant_id: number }>`
        select distinct tenant_id from email_messages where send_waits_since is not null limit ${MAX_FORGOTTEN}`.execute(ctx.tx)
      return rows
    },
    async (within) => {
      const { rows } = await sql<{ tenant_id: number; id: number; lane: Lane }>`
        select distinct on (m.tenant_id, a.send_slow) m.tenant_id, m.id, case when a.send_slow then 'slow' else 'fast' end as lane
        from email_messages m join email_accounts a on a.tenant_id = m.tenant_id and a.id = m.account_id
        where m.send_waits_since is not null and a.removed_at is null and ${within('m')} and not exists (
          select from email_accounts o where o.tenant_id = a.tenant_id and o.send_slow = a.send_slow and o.send_leased_until > statement_timestamp())
        order by m.tenant_id, a.send_slow, m.send_waits_since limit ${MAX_FORGOTTEN}`.execute(ctx.tx)
      return rows
    },
  )
}

const messageIn = (ctx: Ctx, id: number) => ctx.from('email_messages').selectAll().where('id', '=', id).executeTakeFirst()

const accountsIn = (ctx: Ctx) => ctx.from('email_accounts').where('removed_at', 'is', null)

const updateAccount = (ctx: Ctx, id: number, changes: object) =>
  ctx.update('email_accounts').set(changes).where('id', '=', id).execute()

const Data = z.object({ message_id: z.int() })
type Data = z.output<typeof Data>

const UNKNOWN =
  'The connection broke while it was handed over: it may have been sent. Ask its recipients before you send it again.'

/** Interval at which the lease is renewed, in milliseconds. */
const RENEW_EVERY = 20_000

const sendingJob = (name: string, lane: Lane): WorkspaceJob<Data> =>
  defineWorkspaceJob({
    name,
    data: Data,
    concurrency: 4,
    expireSeconds: 300,
    transactions: 'own',
    run: (steps, data) => deliver(steps, data, lane),
    failed: (ctx, data, error) => fail(ctx, data, error instanceof MailServerError ? error.message : 'It could not be sent.'),
  })
export const sendMessage = sendingJob('email-send', 'fast')
export const sendSlowly = sendingJob('email-send-slow', 'slow')

const jobOf = (lane: Lane) => (lane === 'fast' ? sendMessage : sendSlowly)

/** Job that, every minute, continues with messages that wait for a worker that was killed. */
export const dispatchWaiting = defineJob({
  name: 'email-send-dispatch',
  schedule: '* * * * *',
  run: (services) =>
    inPublic(originOf(services), 'write', async (ctx) => {
      const waiting = await forgottenMessages(ctx)
      for (const lane of ['fast', 'slow'] as const) {
        const some = waiting.filter((one) => one.lane === lane)
        const items = some.map(({ tenant_id, id }) => ({ tenantId: tenant_id, data: { message_id: id } }))
        await services.queue.sendAll(ctx, jobOf(lane), items)
      }
    }),
})

/** Queues a draft. 422 on `status` if it is sent or being sent; on `to` if it has no recipient. */
export async function queueDraft(ctx: Ctx, message: MessageRow) {
  if (message.status !== 'draft' && message.status !== 'failed')
    throw invalid({
      status: message.status === 'received' ? 'Only drafts can be sent.' : `The message is ${message.status} already.`,
    })
  if (!peopleIn(message).length) throw invalid({ to: 'Name a recipient.' })
  await messages.save(ctx, message, { status: 'queued', error: null, date: ctx.now })
  await ctx.services.queue.send(ctx, sendMessage, { message_id: message.id })
}

async function deliver(steps: WorkspaceSteps, data: Data, lane: Lane) {
  const taken = await steps.write((ctx) => takeSending(ctx, data.message_id, lane))
  if (typeof taken === 'string') return taken === 'busy' ? undefined : forward(steps, data, taken)
  const { account } = taken
  const renewal = setInterval(() => void steps.write((ctx) => renewSending(ctx, account)).catch(() => {}), RENEW_EVERY)
  let slow = true
  try {
    slow = await handOver(steps, data, taken)
  } catch (error) {
    slow = !(error instanceof NotTaken)
    if (!isForNow(error)) throw error // a password, a certificate or a defect: the queue retries a few times, within minutes
    await steps.write((ctx) => postpone(ctx, data, lane, error))
  } finally {
    clearInterval(renewal)
    const next = await steps.write((ctx) => endSending(ctx, account, slow))
    if (next) await forward(steps, { message_id: next }, lane)
  }
}

const forward = (steps: WorkspaceSteps, data: Data, lane: Lane) =>
  steps.write(async (ctx) => void (await ctx.services.queue.send(ctx, jobOf(lane), data)))

/** Sends the message and returns whether the server was slow or failed. Throws errors that are to be retried. */
async function handOver(steps: WorkspaceSteps, data: Data, { message, account }: Taken): Promise<boolean> {
  const end = (error: string) => steps.write((ctx) => fail(ctx, data, error))
  if (message.status === 'sending') {
    await end(UNKNOWN)
    return account.send_slow
  }
  const files = await steps.read((ctx) => filesOf(ctx, message.id))
  const mime = await mimeOf(steps.services, message, files, { keepBcc: false })
  const submission = await openSubmission(steps.services, serverOf(steps.services, account, 'smtp'))
  try {
    if (!(await steps.write((ctx) => step(ctx, data, 'queued', { status: 'sending' })))) return account.send_slow
    const rejected = await submission.send({ from: account.email_address, to: peopleIn(message) }, mime)
    await steps.write((ctx) => settle(ctx, message, rejected))
    return false
  } catch (error) {
    if (error instanceof NotTaken && !error.forGood) throw error
    await end(error instanceof NotTaken ? error.message : UNKNOWN)
    return !(error instanceof NotTaken)
  } finally {
    submission.close()
  }
}

/** Whether the failure is temporary and the server's: not caused by a setting of the account. */
const isForNow = (error: unknown): error is MailServerError =>
  error instanceof NotTaken ? !error.forGood : error instanceof MailServerError && error.part === 'host'

/** Postpones a message that was not handed over, or marks it as failed after a day of tries. */
async function postpone(ctx: Ctx, data: Data, lane: Lane, { message: why }: MailServerError) {
  const message = await messageIn(ctx, data.message_id)
  if (!message) return
  const delaySeconds = pauseBefore(ctx, message, SHORTEST_PAUSE)
  if (delaySeconds === undefined) return fail(ctx, data, why)
  for (const from of ['queued', 'sending'] as const)
    await step(ctx, data, from, { status: 'queued', error: `${why} It is tried again.` })
  await tellChange(ctx, message.account_id)
  await ctx.services.queue.send(ctx, jobOf(lane), data, { delaySeconds })
}

/** Shows the message in Sent from now on; the next synchronisation appends it there on the server. */
async function settle(ctx: Ctx, message: MessageRow, rejected: Rejected[]) {
  const { id, account_id, folder_id, remote_folder_id } = message
  const sent = await folderOfType(ctx, account_id, 'sent')
  await step(ctx, { message_id: id }, 'sending', {
    status: 'sent',
    folder_id: sent?.id ?? folder_id,
    append_pending: Boolean(sent?.remote_path) || remote_folder_id !== null,
    // The copy among the server's drafts counts as another message. It is deleted once this one has been appended to Sent.
    remote_folder_id: null,
    uid: null,
    error: null,
  })
  if (rejected.length) await postponeDeferred(ctx, message, rejectedAs(rejected))
  await markAnswered(ctx, message)
  await tellChange(ctx, account_id)
  await requestSync(ctx, account_id)
}

/**
 * Marks the message that it replies to, and the one that it forwards; the next synchronisation sends these flags to the server.
 */
async function markAnswered(ctx: Ctx, { account_id, in_reply_to, forwards }: MessageRow) {
  const marks = [
    { message_id: in_reply_to, set: { is_answered: true } },
    { message_id: forwards, set: { is_forwarded: true } },
  ]
  for (const { message_id, set } of marks)
    if (message_id !== null)
      await ctx
        .update('email_messages')
        .set((eb) => ({
          ...set,
          flags_pending: sql<boolean>`flags_pending or remote_folder_id is not null`,
          updated_at: ctx.now,
          revision: eb('revision', '+', 1),
        }))
        .where('account_id', '=', account_id)
        .where('message_id', '=', message_id)
        .execute()
}

/** Changes a message that is in the given state; returns whether it was. */
async function step(ctx: Ctx, { message_id }: Data, from: MessageRow['status'], changes: Partial<MessageRow>) {
  const { numUpdatedRows } = await ctx
    .update('email_messages')
    .set((eb) => ({ ...changes, updated_at: ctx.now, revision: eb('revision', '+', 1) }) as never)
    .where('id', '=', message_id)
    .where('status', '=', from)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

async function fail(ctx: Ctx, data: Data, error: string) {
  for (const from of ['queued', 'sending'] as const) await step(ctx, data, from, { status: 'failed', error })
  const message = await messageIn(ctx, data.message_id)
  if (message) await tellChange(ctx, message.account_id)
}
