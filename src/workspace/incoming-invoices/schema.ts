import { sql } from 'kysely'
import { z } from 'zod'
import { subjectOf } from '#kernel/modules/subjects.ts'
import { actorRef, nameRef, recordRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { type At, computed, extended, view } from '#kernel/records/view.ts'
import { choice, date, formatted, money, optionalRef, refId, stamps, text } from '#kernel/values/fields.ts'
import { lifecycle } from './lifecycle.ts'
import { SUBTYPES } from './reading/invoice-data.ts'
import { PROFILES } from './reading/profiles.ts'

export const KINDS = ['invoice', 'credit_note'] as const

export const MatchInvoice = z.object({
  vendor_id: optionalRef('vendor'),
  purchase_order_id: optionalRef('purchase_order'),
})

/** Body without an uploaded file: an attachment of the caller's own mailboxes. */
export const ReadInvoice = z.object({
  email_message_uuid: z
    .uuid()
    .nullish()
    .meta({
      description: 'A received message of the caller’s own mailboxes, in place of a file (with `email_attachment_id`).',
      examples: ['0f8fad5b-d9cb-469f-a165-70867728950e'],
    }),
  email_attachment_id: text(100)
    .nullish()
    .meta({ description: 'The attachment of that message, by its `id`.', examples: ['2'] }),
})

export const RejectInvoice = z.object({
  reason: text(1000).meta({
    description: 'Why it isn’t accepted; for whoever tells the seller.',
    examples: ['The goods never came.'],
  }),
})

export const IncomingInvoice = view('incoming_invoices', 'IncomingInvoice', {
  id: z.int(),
  kind: choice(KINDS).describe('Whether it charges, or takes money off.'),
  status: choice(lifecycle.states),
  number: z.string().meta({ description: 'Its number, as the seller gave it.', examples: ['R-2026-0815'] }),
  seller_name: z.string().meta({ description: 'Who sent it.', examples: ['Papierwerk Nord GmbH'] }),
  issue_date: date(),
  due_date: date().nullable(),
  currency: formatted('currency'),
  tax_total: money().meta({ description: 'The tax within `total`.', examples: [19] }),
  total: money().meta({ description: 'What it comes to, tax included.', examples: [119] }),
  amount_due: money().meta({ description: 'What of that is still to be paid.', examples: [119] }),
  format: choice(['ubl', 'cii', 'pdf']).describe('What was sent: XML in UBL or CII, or a PDF with XML in it.'),
  is_valid: z.boolean().describe('Whether it keeps to the rules of EN 16931 that are judged here.'),
  file_name: z.string().meta({ description: 'The file as it was named.', examples: ['rechnung-0815.xml'] }),
  size_bytes: z.int().meta({ description: 'Bytes of the file.', examples: [9213] }),
  sha256: z.string().meta({
    description: 'SHA-256 of the file as it came, in hexadecimal.',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
  vendor_id: z.int().nullable(),
  vendor: nameRef('vendor_id', 'vendor'),
  vendor_matched_by: choice(['tax_id', 'name', 'user'])
    .nullable()
    .describe('By what the vendor was found: the tax id, the name, or a user’s word; null: none was.'),
  purchase_order_id: z.int().nullable(),
  purchase_order: recordRef('purchase_order_id', 'purchase_order', { id: z.int(), number: z.string(), title: z.string() }),
  expense_id: refId('expense')
    .nullable()
    .meta({ description: 'Id of the expense that it became; null: none.', examples: [4] }),
  final_invoice_id: refId('incoming_invoice')
    .nullable()
    .meta({
      description:
        'Id of the final invoice that takes this one off as a deposit, and became an expense of what is left; null: none.',
      examples: [null],
    }),
  rejection_reason: z
    .string()
    .nullable()
    .meta({ description: 'Why it was rejected; null: it wasn’t.', examples: [null] }),
  creator: actorRef('created_by'),
  latest_note: latestNote(),
  ...stamps,
})

const said = (description: string, example: string) =>
  z
    .string()
    .nullable()
    .meta({ description, examples: [example] })
const sum = (description: string, example = 100) =>
  z
    .number()
    .nullable()
    .meta({ description, examples: [example] })

const Party = z
  .object({
    name: said('Its name, as it is registered.', 'Papierwerk Nord GmbH'),
    trading_name: said('By which it is known.', 'Papierwerk'),
    ids: z
      .array(z.string())
      .meta({ description: 'Numbers that name it, behind their scheme.', examples: [['0088:4012345000009']] }),
    registration: said('Its number in a register of firms.', 'HRB 4711'),
    vat_id: said('Its VAT id, behind the code of its country.', 'DE123456789'),
    tax_number: said('Its number at the tax office.', '201/113/40209'),
    einvoice_address: said('Its electronic address, behind its scheme.', '0088:4012345000009'),
    street: said('Street and number of its address.', 'Werkstraße 1'),
    street_2: said('What else the address says.', 'Halle 4'),
    postcode: said('Postcode of its address.', '24103'),
    city: said('Town of its address.', 'Kiel'),
    region: said('Region or state of its address.', 'Schleswig-Holstein'),
    country: said('Country (ISO 3166-1).', 'DE'),
    contact_name: said('Whom to ask.', 'Ida Lund'),
    phone: said('Telephone.', '+49 431 1234'),
    email: said('E-mail address.', 'rechnung@papierwerk.example'),
  })
  .meta({ id: 'IncomingInvoiceParty' })

const Adjustment = z
  .object({
    is_charge: z.boolean().describe('Whether it is added; else it is taken off.'),
    amount: sum('How much, without tax.', 5),
    reason: said('What for.', 'Discount'),
    category: said('Category of its tax.', 'S'),
    rate: sum('Rate of its tax in percent.', 19),
  })
  .meta({ id: 'IncomingInvoiceAdjustment' })

/** Optional fields are missing in invoices read before the fields were introduced. */
const Line = z
  .object({
    id: said('Its number on the invoice.', '1'),
    parent_id: said('Number of the line that it is a part of.', '1').optional(),
    subtype: choice(SUBTYPES)
      .optional()
      .describe('Whether its amount is a part of the total of lines, a subtotal of the lines below it, or information alone.'),
    name: said('What was sold.', 'Paper, A4'),
    description: said('More about it.', '80 g, white'),
    note: said('A note on the line.', 'Delivered in two parts'),
    sku: said('The seller’s number of it.', 'P-80'),
    buyer_sku: said('The buyer’s number of it.', 'OFF-1'),
    quantity: sum('How many.', 20),
    unit: said('Unit (UN/ECE Recommendation 20).', 'C62'),
    price: sum('Price of `price_quantity`, without tax.', 5),
    price_quantity: sum('Of how many the price is; null: of one.', 1),
    adjustments: z.array(Adjustment).describe('What is taken off the line and added to it.'),
    net: sum('What it comes to, without tax.'),
    category: said('Category of its tax.', 'S'),
    rate: sum('Rate of its tax in percent.', 19),
  })
  .meta({ id: 'IncomingInvoiceLine' })

const Data = z
  .object({
    syntax: choice(['cii', 'ubl']).describe('In which syntax it is written.'),
    kind: choice(KINDS).describe('Whether it charges, or takes money off.'),
    type_code: said('Its type (UNTDID 1001).', '380'),
    specification: said('The rules that it says it keeps to.', 'urn:cen.eu:en16931:2017'),
    profile: choice(PROFILES).optional().describe('The profile that these rules are: it is judged by them.'),
    number: z.string().meta({ description: 'Its number, as the seller gave it.', examples: ['R-2026-0815'] }),
    issue_date: z.string().meta({ description: 'Day of issue.', examples: ['2026-11-20'] }),
    due_date: said('Day by which it is to be paid.', '2026-12-20'),
    delivery_date: said('Day of the delivery.', '2026-11-18'),
    period_start: said('First day of what is charged for.', '2026-11-01'),
    period_end: said('Last day of what is charged for.', '2026-11-30'),
    currency: z.string().meta({ description: 'Currency of its amounts.', examples: ['EUR'] }),
    notes: z.array(z.string()).meta({ description: 'Notes on it.', examples: [['Thank you.']] }),
    buyer_reference: said('What the buyer wanted to read on it.', 'Purchasing'),
    project_reference: said('The project.', 'P-1'),
    contract_reference: said('The contract.', 'C-1'),
    order_reference: said('The buyer’s order.', 'PO-00042'),
    sales_order_reference: said('The seller’s order.', 'SO-1'),
    preceding_invoices: z.array(z.string()).meta({ description: 'Numbers of the invoices that it corrects.', examples: [[]] }),
    seller: Party.describe('Who sells.'),
    buyer: Party.describe('Who buys.'),
    payee: said('Who is paid, where it isn’t the seller.', 'Factoring AG'),
    payment: z
      .object({
        means: z
          .array(
            z.object({
              code: said('Means of payment (UNTDID 4461).', '58'),
              iban: said('The account.', 'DE89370400440532013000'),
              account_name: said('Whose account it is.', 'Papierwerk Nord GmbH'),
              bic: said('The bank.', 'COBADEFFXXX'),
            }),
          )
          .describe('The ways to pay.'),
        reference: said('What the payer is to quote.', 'R-2026-0815'),
        terms: said('Terms of payment.', '30 days'),
      })
      .describe('How it is to be paid.'),
    adjustments: z.array(Adjustment).describe('What is taken off the whole and added to it.'),
    taxes: z
      .array(
        z.object({
          category: said('Category of tax (UNTDID 5305): S, Z, E, AE, K, G, O.', 'S'),
          rate: sum('Rate in percent.', 19),
          base: sum('What it is charged on.'),
          tax: sum('How much tax is charged on `base`.', 19),
          reason: said('Why none is charged.', 'Reverse charge'),
        }),
      )
      .describe('The tax by category and rate.'),
    totals: z
      .object({
        lines: sum('What the lines come to.'),
        allowances: sum('What is taken off.', 0),
        charges: sum('What is added.', 0),
        net: sum('The whole without tax.'),
        tax: sum('The tax of all rates together.', 19),
        total: z.number().meta({ description: 'The whole with tax.', examples: [119] }),
        prepaid: sum('What was paid before.', 0),
        rounding: sum('What it is rounded by.', 0),
        due: sum('What is to be paid.', 119),
      })
      .describe('What it comes to.'),
    lines: z.array(Line).describe('Its lines, in their order.'),
    third_party_payments: z
      .array(
        z.object({
          type: said('Of which kind it is, as the seller names it.', 'Mobile payment'),
          amount: sum('How much, with tax.', 29.96),
          description: said('More about it.', 'Ticket of another firm'),
        }),
      )
      .optional()
      .describe('Amounts that the seller collects for others; they are to be paid beside the total.'),
    attachments: z
      .array(z.string())
      .meta({ description: 'Names of the documents that it holds or names.', examples: [['timesheet.pdf']] }),
    attached_files: z
      .array(
        z.object({
          name: z.string().meta({ description: 'Name of the file.', examples: ['timesheet.pdf'] }),
          description: said('More about it.', 'Hours of November'),
          media_type: said('Its type, as the seller declares it.', 'application/pdf'),
        }),
      )
      .optional()
      .describe('The files in it that can be opened, in its XML and attached to its PDF.'),
  })
  .meta({ id: 'IncomingInvoiceData' })

/** A file inside the invoice, in the list of files that can be opened. */
export const IncomingAttachment = z
  .object({
    id: z.int().meta({ description: 'Its place among the files of the invoice, from 1.', examples: [1] }),
    name: z.string().meta({ description: 'Name of the file.', examples: ['timesheet.pdf'] }),
    description: said('More about it.', 'Hours of November'),
    media_type: said('Its type, as the seller declares it.', 'application/pdf'),
  })
  .meta({ id: 'IncomingInvoiceAttachment' })

const Remark = {
  field: z.string().meta({ description: 'Where: a field of `data`.', examples: ['totals.net'] }),
  message: z.string().meta({ description: 'What is wrong, or to be known.', examples: ['Is 100, but the lines come to 110.'] }),
}

const Notices = z
  .array(z.object(Remark))
  .describe('What to look at before it is paid: an account that isn’t known as the seller’s, an order that isn’t known.')

/** Only users who may see the order get its total. */
function noticesSeen({ ctx, table }: At) {
  const visible = subjectOf(ctx, 'purchase_order')?.visible(ctx, 'o')
  const order = sql`purchase_orders o where o.tenant_id = ${ctx.tenant.id} and o.id = (notice ->> 'order_id')::bigint`
  const inSight = visible ? sql`exists (select from ${order} and ${visible})` : sql`true`
  const isSeen = ctx.can('purchase-orders.view') ? inSight : sql`false`
  return sql`(
    select coalesce(json_agg(json_build_object('field', notice -> 'field', 'message',
      case when notice ? 'order_id' and not ${isSeen} then notice -> 'brief' else notice -> 'message' end) order by n), '[]')
    from jsonb_array_elements(${sql.ref(`${table}.notices`)}) with ordinality as notices (notice, n))`
}

export const IncomingInvoiceDetail = extended(IncomingInvoice, 'IncomingInvoiceDetail', {
  data: Data.describe('What was read of it, by the terms of EN 16931; null where it says nothing.'),
  problems: z
    .array(
      z.object({
        rule: z.string().meta({ description: 'Rule that is broken, as the standard calls it.', examples: ['BR-CO-10'] }),
        ...Remark,
      }),
    )
    .describe('The rules that it breaks; at most 100.'),
  notices: computed(Notices, noticesSeen) as typeof Notices,
  note_entries: newestNotes(),
  activities: activities(),
})
