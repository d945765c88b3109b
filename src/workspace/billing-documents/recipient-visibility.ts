/**
 * Documents for readers who may not view the record that they are addressed to: their copies show its name alone. Paper that goes to the recipient is whole.
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

/** The row of a document, as far as it names its recipient. */
export type Addressed = { [column in keyof typeof KINDS]?: number | null }

/**
 * Whether the actor holds the permissions to view every record that the document is addressed to. Their scope doesn't matter: who sees a document sees its
 * recipient, also where the contact is somebody else's by now, and nobody can name a record out of scope.
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
 * Whether a mail may have the recipient's address in it: its sender may view the recipient, or it goes to the recipient's own address alone. Else a sender
 * could mail the address to themselves.
 */
export const mayMailAddress = (ctx: Ctx, document: Addressed, recipient: string | null | undefined, { to, cc, bcc }: Envelope) =>
  canViewRecipient(ctx, document) || [...(to ?? []), ...cc, ...bcc].every((address) => address === recipient)

/** Whether the customer of the document with this id is hidden from the actor; undefined where they may view every customer. */
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

/** 403 for who lacks one of these permissions: what is asked for can't be had without the recipient's address. */
export function assertRecipientViewable(ctx: Ctx, document: Addressed) {
  if (!canViewRecipient(ctx, document))
    throw forbidden('This shows the address of a contact, company or vendor that you may not view. The PDF leaves it out.')
}

/** The drawing with the recipient's name, and without address, numbers, reference and the e-invoice that repeats them. */
export function withoutAddress({ xml: _, ...drawing }: PdfSpec): PdfSpec {
  const data = drawing.data as Pick<BillingDocumentPdf, 'recipient' | 'dates'>
  const recipient = data.recipient && { ...data.recipient, lines: [] }
  return { ...drawing, data: { ...data, recipient, dates: data.dates.filter((date) => !date.of_recipient) } }
}
