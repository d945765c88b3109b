/**
 * Messages that the server took for some of their recipients: who is without it, and tries for those of whom it said that it doesn't take it yet (4xx), until
 * a day is over. As with the whole message, a recipient is given it at most once: before the first byte leaves, it is noted that nobody knows.
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

/** Who a message has not reached. `never`: it was deferred for a day. */
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

/** Of servers that keep strangers out for some minutes. In seconds. */
const SHORTEST_PAUSE = 300

const Data = z.object({ message_id: z.int() })
type Data = z.output<typeof Data>

/** A queue of its own: a process of the version before knows of no such recipients, and would end these jobs as done. */
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
/** Those that were deferred, in another state. */
const become = (message: MessageRow, state: Without['state']) =>
  withoutIt(message).map((one) => (one.state === 'deferred' ? { ...one, state } : one))

/** Columns that say who is without a message. */
function columnsOf(all: Without[]) {
  const among = (state: Without['state']) => all.flatMap((one) => (one.state === state ? one.recipient : [])).join(', ')
  const said = Object.entries(SAID).flatMap(([state, text]) => {
    const some = among(state as Without['state'])
    return some ? `${text} ${some}` : []
  })
  return { rejected: JSON.stringify(all) as never, error: said.join('. ').slice(0, 1000) || null }
}

export const rejectedAs = (some: Rejected[]): Without[] =>
  some.map(({ recipient, forGood }) => ({ recipient, state: forGood ? 'refused' : 'deferred' }))

/** Queues the next try for those that are deferred; where they have been tried for a day, it was the last one. */
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

/** The server is away, or doesn't let us in: undefined. */
function unlessOurs(error: unknown): undefined {
  if (!(error instanceof MailServerError)) throw error
}
