/** Linking messages to whom they are about (EML-30). */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { referable, subjectOf } from '#kernel/modules/subjects.ts'
import { choice, id } from '#kernel/values/fields.ts'
import type { MessageRow } from './messages.ts'
import { LINK_TYPES } from './schema.ts'

export const LinkBody = z.object({ linkable_type: choice(LINK_TYPES), linkable_id: id() })
/** Without a target: all links. */
export const UnlinkBody = z
  .object({ linkable_type: choice(LINK_TYPES).optional(), linkable_id: id().optional() })
  .default({})
  .superRefine(({ linkable_type, linkable_id }, issues) => {
    if ((linkable_type === undefined) === (linkable_id === undefined)) return
    const path = [linkable_type === undefined ? 'linkable_type' : 'linkable_id']
    issues.addIssue({ code: 'custom', path, message: 'Type and id belong together.' })
  })

const MAX = 100

/** 422 on `linkable_id` for what isn't there, or isn't the actor's to see. */
export async function linkMessage(ctx: Ctx, message: MessageRow, { linkable_type, linkable_id }: z.output<typeof LinkBody>) {
  const subject = subjectOf(ctx, linkable_type)
  const mayView = subject?.entitled(ctx) && ctx.can(subject.of.may('view'))
  const found = mayView ? await referable(ctx, linkable_type, [linkable_id]) : new Map()
  if (!found.has(linkable_id)) throw invalid({ linkable_id: `There is no such ${linkable_type} that you may see.` })
  const { count } = await linksOf(ctx, message)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count >= MAX) throw invalid({ linkable_id: `A message has at most ${MAX} links.` })
  await ctx.tx
    .insertInto('email_message_links')
    .values({ tenant_id: ctx.tenant.id, message_id: message.id, linkable_type, linkable_id, created_at: ctx.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function unlinkMessage(ctx: Ctx, message: MessageRow, { linkable_type, linkable_id }: z.output<typeof UnlinkBody>) {
  const links = ctx.tx
    .deleteFrom('email_message_links')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('message_id', '=', message.id)
  await (linkable_type && linkable_id
    ? links.where('linkable_type', '=', linkable_type).where('linkable_id', '=', linkable_id)
    : links
  ).execute()
}

const linksOf = (ctx: Ctx, { id }: MessageRow) =>
  ctx.tx.selectFrom('email_message_links').where('tenant_id', '=', ctx.tenant.id).where('message_id', '=', id)
