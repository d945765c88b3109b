/**
 * Recipients that the server deferred (4xx) while it accepted the message for others. They are stored with the message and
 * retried for a day. As with the whole message, delivery to a recipient is attempted at most once: before the first byte is sent,
 * their state is stored as unknown.
 */
import { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import type { WorkspaceJob } from '#kernel/jobs/job.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { serverOf } from '../connections/credentials.ts'
import { MailServerError } from '../connections/failures.ts'
import { NotTaken, openSubmission, type Rejected } from '../connections/submission.ts'
import { tellChange } from '../events.ts'
import type { MessageRow } from '../messages/messages.ts'
import { mimeOf } from './mime.ts'
import { pauseBefore } from './pauses.ts'
import { filesOf } from './stored-files.ts'

/** A recipient that the message has not reached. `never`: deferred for a whole day. */
interface Without {
  recipient: string
  state: 'refused' | 'deferred' | 'never' | 'unknown'
}

const SAID = {
  refused: 'Refused for',
  deferred: 'Not taken yet, and tried again, for',
  never: 'Not taken for a day for',
  unknown: 'The connection broke while it was handed over; it may have been sent to',
}

/** Minimum pause for servers that greylist unknown senders for some minutes. In seconds. */
const SHORTEST_PAUSE = 300

const Data = z.object({ message_id: z.int() })
type Data = z.output<typeof Data>

/**
 * A queue of its own: a process of the previous version doesn't know deferred recipients, and would complete these jobs without
 * sending.
 */
export const sendDeferred: WorkspaceJob<Data> = defineWorkspaceJob({
  name: 'email-send-deferred',
  data: Data,
  concurrency: 3,
  expireSeconds: 300,
  transactions: 'own',
  run: tryDeferred,
  failed: async (ctx, data) => {
    const found = await deferredOf(ctx, data)
    if (found) await note(ctx, found.message, become(found.message, 'never'))
  },
})

const withoutIt = ({ rejected }: MessageRow) => rejected as unknown as Without[]
const deferredIn = (message: MessageRow) =>
  withoutIt(message).flatMap(({ recipient, state }) => (state === 'deferred' ? recipient : []))
/** Returns the recipients with every deferred one in another state. */
const become = (message: MessageRow, state: Without['state']) =>
  withoutIt(message).map((one) => (one.state === 'deferred' ? { ...one, state } : one))

/** Columns that store which recipients are without a message. */
function columnsOf(all: Without[]) {
  const among = (state: Without['state']) => all.flatMap((one) => (one.state === state ? one.recipient : [])).join(', ')
  const said = Object.entries(SAID).flatMap(([state, text]) => {
    const some = among(state as Without['state'])
    return some ? `${text} ${some}` : []
  })
  return { rejected: JSON.stringify(all) as never, error: said.join('. ').slice(0, 1000) || null }
}

/** Converts the server's rejections to the stored form. */
export const rejectedAs = (some: Rejected[]): Without[] =>
  some.map(({ recipient, forGood }) => ({ recipient, state: forGood ? 'refused' : 'deferred' }))

/** Queues the next try for deferred recipients; after a day of tries, gives up. */
export async function postponeDeferred(ctx: Ctx, message: MessageRow, all: Without[]) {
  if (!all.some(({ state }) => state === 'deferred')) return note(ctx, message, all)
  const delaySeconds = pauseBefore(ctx, message, SHORTEST_PAUSE)
  if (delaySeconds === undefined)
    return note(
      ctx,
      message,
      all.map((one) => (one.state === 'deferred' ? { ...one, state: 'never' } : one)),
    )
  await note(ctx, message, all)
  await ctx.services.queue.send(ctx, sendDeferred, { message_id: message.id }, { delaySeconds })
}

async function note(ctx: Ctx, { id, account_id }: MessageRow, all: Without[]) {
  await ctx
    .update('email_messages')
    .set((eb) => ({ ...columnsOf(all), updated_at: ctx.now, revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
  await tellChange(ctx, account_id)
}

async function deferredOf(ctx: Ctx, { message_id }: Data) {
  const message = await ctx.from('email_messages').selectAll().where('id', '=', message_id).forUpdate().executeTakeFirst()
  if (message?.status !== 'sent' || !deferredIn(message).length) return undefined
  const account = await ctx
    .from('email_accounts')
    .selectAll()
    .where('id', '=', message.account_id)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return account && { message, account, files: await filesOf(ctx, message.id) }
}

async function tryDeferred(steps: WorkspaceSteps, data: Data) {
  const found = await steps.write((ctx) => deferredOf(ctx, data))
  if (!found) return
  const { message, account, files } = found
  const settle = (all: Without[]) => steps.write((ctx) => postponeDeferred(ctx, message, all))
  const mime = await mimeOf(steps.services, message, files, { keepBcc: false })
  const submission = await openSubmission(steps.services, serverOf(steps.services, account, 'smtp')).catch(unlessOurs)
  if (!submission) return settle(withoutIt(message))
  try {
    const isMine = await steps.write(async (ctx) => {
      const still = await deferredOf(ctx, data)
      if (still) await note(ctx, message, become(message, 'unknown'))
      return Boolean(still)
    })
    if (!isMine) return
    const rejected = await submission.send({ from: account.email_address, to: deferredIn(message) }, mime)
    await settle([...withoutIt(message).filter(({ state }) => state !== 'deferred'), ...rejectedAs(rejected)])
  } catch (error) {
    if (error instanceof NotTaken) await settle(error.forGood ? become(message, 'refused') : withoutIt(message))
    else if (!(error instanceof MailServerError)) throw error
  } finally {
    submission.close()
  }
}

/** Returns undefined if the server is unreachable or rejects the sign-in; throws any other error again. */
function unlessOurs(error: unknown): undefined {
  if (!(error instanceof MailServerError)) throw error
}
