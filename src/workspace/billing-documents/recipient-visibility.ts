/**
 * Documents for readers who may not view the recipient's record: their copies only contain its name. Copies sent to the recipient
 * are complete.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { forbidden } from '#kernel/errors.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import type { SubjectType } from '#kernel/names.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import type { HiddenProperty } from '#kernel/records/timeline.ts'
import type { TableName } from '#kernel/records/view.ts'
import type { BillingDocumentPdf } from './pdf.ts'

const KINDS = { vendor_id: 'vendor', company_id: 'company', contact_id: 'contact' } as const satisfies Record<string, SubjectType>

/** Columns of a document that identify its recipient. */
export type Addressed = { [column in keyof typeof KINDS]?: number | null }

/**
 * Whether the actor has the permissions to view every record that the document is addressed to. Their scope doesn't matter:
 * nobody can choose a record out of scope. Users who see a document see its recipient, even if the contact is assigned to
 * somebody else by now.
 */
export const canViewRecipient = (ctx: Ctx, document: Addressed) =>
  Object.entries(KINDS).every(
    ([column, type]) => document[column as keyof Addressed] == null || (subjectOf(ctx, type)?.viewable(ctx) ?? true),
  )

/** Addresses of a mail. */
interface Envelope {
  to?: string[] | null
  cc: string[]
  bcc: string[]
}

/**
 * Whether a mail may contain the recipient's address: its sender may view the recipient, or it is only sent to the recipient's
 * own address. Otherwise a sender could mail the address to themselves.
 */
export const mayMailAddress = (ctx: Ctx, document: Addressed, recipient: string | null | undefined, { to, cc, bcc }: Envelope) =>
  canViewRecipient(ctx, document) || [...(to ?? []), ...cc, ...bcc].every((address) => address === recipient)

/**
 * Condition whether the customer of the document with this id is hidden from the actor; undefined if they may view every
 * customer.
 */
export function customerHidden(ctx: Ctx, table: TableName, id: RawBuilder<unknown>): RawBuilder<SqlBool> | undefined {
  const hidden = (['contact_id', 'company_id'] as const).filter(
    (column) => !(subjectOf(ctx, KINDS[column])?.viewable(ctx) ?? true),
  )
  if (!hidden.length) return undefined
  const named = hidden.map((column) => sql`document.${sql.id(column)} is not null`)
  return sql<SqlBool>`exists (select from ${sql.table(table)} document
    where document.tenant_id = ${ctx.tenant.id} and document.id = ${id} and (${sql.join(named, sql` or `)}))`
}

/** Hides the addresses of mails (`to`) in timelines of a customer's documents from readers who may not view the customer. */
export const recipientAddresses = (table: TableName): HiddenProperty => ({
  property: 'to',
  types: ['emailed', 'reminded'],
  where: (ctx, entry) => customerHidden(ctx, table, sql.ref(`${entry}.subject_id`)),
})

/** 403 without one of these permissions, for results that always contain the recipient's address. */
export function assertRecipientViewable(ctx: Ctx, document: Addressed) {
  if (!canViewRecipient(ctx, document))
    throw forbidden('This shows the address of a contact, company or vendor that you may not view. The PDF leaves it out.')
}

/**
 * Returns the spec with the recipient's name only: without address, numbers, reference, and the e-invoice, which repeats them.
 */
export function withoutAddress({ xml: _, ...drawing }: PdfSpec): PdfSpec {
  const data = drawing.data as Pick<BillingDocumentPdf, 'recipient' | 'dates'>
  const recipient = data.recipient && { ...data.recipient, lines: [] }
  return { ...drawing, data: { ...data, recipient, dates: data.dates.filter((date) => !date.of_recipient) } }
}
