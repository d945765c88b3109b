/** Changes several messages at once (EML-21 … EML-25): each succeeds or fails on its own. */
import { z } from 'zod'
import { type Ctx, savepoint, type WorkspaceSteps } from '#kernel/context.ts'
import { HttpError, invalid } from '#kernel/errors.ts'
import { choice } from '#kernel/values/fields.ts'
import { serverOf } from '../connections/credentials.ts'
import { type Mailbox, openMailbox } from '../connections/mailbox.ts'
import { addLabels, labelUuids, removeLabels } from '../labels.ts'
import { moveMessage, refuseWhileSending, removeFrom, setFlags, settle } from './changes.ts'
import { type Place, placeOf } from './content.ts'
import { type MessageRow, messages } from './messages.ts'

const ACTIONS = ['delete', 'move', 'flags', 'labels'] as const
const MAX = 25

export const BulkBody = z
  .object({
    message_uuids: z
      .array(z.uuid('Must be the uuid of a message.'))
      .min(1, 'Must name at least one message.')
      .max(MAX, `Must name at most ${MAX} messages.`)
      .describe('Uuids of the messages, all of the caller.'),
    action: choice(ACTIONS).describe('What is done with each.'),
    folder_uuid: z
      .uuid('Must be the uuid of a folder.')
      .optional()
      .describe('Uuid of the folder to move to. Required with `move`.'),
    is_read: z.boolean().optional().describe('With `flags`: read or unread.'),
    is_starred: z.boolean().optional().describe('With `flags`: starred or not.'),
    label_uuids: labelUuids().optional().describe('With `labels`: uuids of the labels.'),
    label_mode: choice(['add', 'remove']).optional().describe('With `labels`: whether they are added or removed.'),
  })
  .superRefine(({ action, folder_uuid, is_read, is_starred, label_uuids, label_mode }, issues) => {
    const needs = (field: string, given: unknown) => {
      if (given === undefined) issues.addIssue({ code: 'custom', path: [field], message: 'Is required for this action.' })
    }
    if (action === 'move') needs('folder_uuid', folder_uuid)
    if (action === 'flags') needs('is_read', is_read ?? is_starred)
    if (action === 'labels') needs('label_uuids', label_uuids)
    if (action === 'labels') needs('label_mode', label_mode)
  })
type Body = z.output<typeof BulkBody>

export const BulkResult = z
  .object({ processed: z.int(), failed: z.array(z.object({ uuid: z.string(), message: z.string() })) })
  .meta({ id: 'EmailBulkResult' })

/** Applies the action to each message; 422 if all of them fail. */
export async function changeMany(steps: WorkspaceSteps, body: Body): Promise<z.input<typeof BulkResult>> {
  steps.require(body.action === 'delete' ? 'email.delete' : 'email.update')
  const uuids = [...new Set(body.message_uuids.map((uuid) => uuid.toLowerCase()))]
  const failed = body.action === 'delete' ? await removeMany(steps, uuids) : await applyMany(steps, uuids, body)
  const result = {
    processed: uuids.length - failed.size,
    failed: [...failed].map(([uuid, { message }]) => ({ uuid, message })),
  }
  if (!result.processed) throw invalid({ message_uuids: 'None of the messages could be changed.' }, { data: result })
  return steps.finish(async () => result)
}

type Failures = Map<string, HttpError>

/** Stores errors that a client can act on; throws any other as a defect. */
function note(failed: Failures, uuid: string, error: unknown) {
  if (!(error instanceof HttpError)) throw error
  failed.set(uuid, error)
}

async function applyMany(steps: WorkspaceSteps, uuids: string[], body: Body): Promise<Failures> {
  return steps.write(async (ctx) => {
    const failed: Failures = new Map()
    for (const uuid of uuids.toSorted()) // in a fixed order, so that two requests don't deadlock
      await savepoint(ctx, async (within) => apply(within, await messages.lock(within, uuid), body)).catch((error) =>
        note(failed, uuid, error),
      )
    return failed
  })
}

function apply(ctx: Ctx, message: MessageRow, { action, folder_uuid, label_uuids = [], label_mode, ...flags }: Body) {
  if (action === 'move') return moveMessage(ctx, message, folder_uuid!)
  if (action === 'flags') return setFlags(ctx, message, flags)
  return label_mode === 'add' ? addLabels(ctx, message, label_uuids) : removeLabels(ctx, message, label_uuids)
}

/** Uses one connection per account, whatever the number of its messages. */
async function removeMany(steps: WorkspaceSteps, uuids: string[]): Promise<Failures> {
  const failed: Failures = new Map()
  const places: Place[] = []
  for (const uuid of uuids)
    await steps
      .read(async (ctx) => placeOf(ctx, await messages.find(ctx, uuid)))
      .then((place) => places.push(place))
      .catch((error) => note(failed, uuid, error))
  for (const ofAccount of Map.groupBy(places, ({ account }) => account.id).values()) await removeOf(steps, ofAccount, failed)
  return failed
}

async function removeOf(steps: WorkspaceSteps, places: Place[], failed: Failures) {
  let opened: Promise<Mailbox> | undefined
  const mailbox = () => (opened ??= openMailbox(steps.services, serverOf(steps.services, places[0]!.account, 'imap')))
  try {
    for (const place of places)
      try {
        refuseWhileSending(place.message)
        await settle(steps, place, place.message.remote_folder_id === null ? 'gone' : await removeFrom(await mailbox(), place))
      } catch (error) {
        note(failed, place.message.uuid, error)
      }
  } finally {
    await opened?.then((one) => one.close()).catch(() => {})
  }
}
