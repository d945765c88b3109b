/** Which labels a message has. All of them belong to its mailbox (EML-16). */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'

const MAX = 100

export const labelUuids = () => z.array(z.uuid('Must be the uuid of a label.')).max(MAX, `Must name at most ${MAX} labels.`)

export const LabelsBody = z.object({ label_uuids: labelUuids() })

interface Labelled {
  id: number
  account_id: number
}

/** Exactly these labels from now on. 422 on `label_uuids` for one of another mailbox. */
export async function replaceLabels(ctx: Ctx, message: Labelled, uuids: string[]) {
  const ids = await labelIds(ctx, message, uuids)
  await removeAll(ctx, message).execute()
  await add(ctx, message, ids)
}

export const addLabels = async (ctx: Ctx, message: Labelled, uuids: string[]) =>
  add(ctx, message, await labelIds(ctx, message, uuids))

export async function removeLabels(ctx: Ctx, message: Labelled, uuids: string[]) {
  const ids = await labelIds(ctx, message, uuids)
  if (ids.length) await removeAll(ctx, message).where('label_id', 'in', ids).execute()
}

async function labelIds(ctx: Ctx, { account_id }: Labelled, uuids: string[]) {
  if (!uuids.length) return []
  const found = await ctx.tx
    .selectFrom('email_labels')
    .select(['id', 'uuid'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('account_id', '=', account_id)
    .where('uuid', 'in', uuids)
    .execute()
  const known = new Set(found.map(({ uuid }) => uuid))
  if (uuids.some((uuid) => !known.has(uuid.toLowerCase())))
    throw invalid({ label_uuids: 'Must name labels of the mailbox that the message is in.' })
  return found.map(({ id }) => id)
}

const removeAll = (ctx: Ctx, { id }: Labelled) =>
  ctx.tx.deleteFrom('email_message_labels').where('tenant_id', '=', ctx.tenant.id).where('message_id', '=', id)

async function add(ctx: Ctx, { id }: Labelled, labels: number[]) {
  if (!labels.length) return
  await ctx.tx
    .insertInto('email_message_labels')
    .values(labels.map((label_id) => ({ tenant_id: ctx.tenant.id, message_id: id, label_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
