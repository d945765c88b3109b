/** Fills in a template for a record that the actor may see, and builds the link with which a client sends it. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { Shown } from '#kernel/modules/placeholders.ts'
import { findSubject } from '#kernel/modules/subjects.ts'
import type { SubjectType } from '#kernel/names.ts'
import type { Row } from '#kernel/records/resource.ts'
import { contextOf } from './contexts.ts'
import { fill, recordValues, sampleValues, sharedValues } from './placeholders.ts'
import type { Preview, Rendered } from './schema.ts'

type Template = Row<'communication_templates'>

/** Returns the live record with its detail fields; 404 if its module isn't installed or the actor may not view it (TPL-16). */
async function entityOf(ctx: Ctx, type: SubjectType, id: number): Promise<Shown> {
  const { subject } = await findSubject(ctx, type, id)
  return subject.of.loadDetailUnscoped(ctx, id)
}

/** Returns the text with sample values, or with a record's values, and lists the placeholders without a value. */
export async function preview(ctx: Ctx, template: Template, entityId?: number | null): Promise<z.input<typeof Preview>> {
  const { context, channel } = template
  const own = entityId
    ? recordValues(ctx, context, await entityOf(ctx, contextOf(context).subject, entityId))
    : sampleValues(context)
  return { ...fill(template.body, { ...own, ...(await sharedValues(ctx)) }), channel }
}

/**
 * Returns the text for a record, with the phone number and the link that opens the chat; sends nothing (TPL-22). 422 on
 * `template` for an inactive one, on `entity_id` without a valid phone number (TPL-23).
 */
export async function render(ctx: Ctx, template: Template, entityId: number): Promise<z.input<typeof Rendered>> {
  const { context, channel } = template
  if (!template.is_active) throw invalid({ template: 'This template is not active.' })
  const record = await entityOf(ctx, contextOf(context).subject, entityId)
  const phone = digitsOf(await phoneOf(ctx, record))
  if (!phone)
    throw invalid({ entity_id: `This ${contextOf(context).label.toLowerCase()} has no phone number of at least 8 digits.` })
  const filled = fill(template.body, { ...recordValues(ctx, context, record), ...(await sharedValues(ctx)) })
  await ctx
    .update('communication_templates')
    .set({ last_used_at: ctx.now }) // no revision: using it doesn't change it
    .where('id', '=', template.id)
    .execute()
  const chat_link_url = `${ctx.services.config.CHAT_LINK_BASE_URL}/${phone}?text=${encodeURIComponent(filled.body)}`
  return { ...filled, channel, phone, chat_link_url }
}

/** Phone number of a record; for kinds without one, the linked contact's, else the linked company's. */
async function phoneOf(ctx: Ctx, record: Shown): Promise<string | null> {
  if ('phone' in record) return record.phone as string | null
  const contact = await linked(ctx, 'contact', record.contact_id)
  return digitsOf(contact) ? contact : linked(ctx, 'company', record.company_id)
}

async function linked(ctx: Ctx, type: SubjectType, id: unknown) {
  if (!id) return null
  const found = await entityOf(ctx, type, id as number).catch(() => null) // treated as missing if the actor may not see it
  return (found?.phone as string | null) ?? null
}

/** Returns the digits of a phone number in any script; null if there are too few (TPL-19). */
function digitsOf(phone: string | null) {
  const digits = phone?.replace(/\p{Nd}/gu, decimalOf).replace(/\D/g, '') ?? ''
  return digits.length >= 8 ? digits : null
}

/**
 * Returns the ASCII digit of a Unicode digit. The digits of a script are consecutive from 0 to 9, and such runs may be adjacent:
 * `3` for `٣`.
 */
function decimalOf(digit: string) {
  const code = digit.codePointAt(0)!
  let before = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before++
  return String(before % 10)
}
