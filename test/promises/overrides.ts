/** Fields of example records by type, where a module's rules require more than its schema expresses. */

import { invoiceXml } from '#workspace/incoming-invoices/samples.ts'
import { dayFromStart, instantFromStart } from '../days.ts'

let telephones = 0
let slugs = 0
let transfers = 0
let days = 0
let links = 0
let bills = 0
/** Fields stored only for a series, with constraints among each other. */
const noSeries = { is_recurring: false, recurrence_frequency: null, recurrence_next_issue_on: null, recurrence_ends_on: null }

const delivered = { delivery_period_start: dayFromStart(-60), delivery_period_end: dayFromStart(-32) }
const HOURS = { name: 'hours.csv', text: 'Day,Hours\n1,8\n' }
const traded = { vat_id: 'DE123456789', einvoice_address: '9930:DE123456789' }

export const overrides: Record<string, object> = {
  // The first warehouse becomes the default, which must be active.
  warehouse: { is_default: false },
  // At most one plan of a workspace is active.
  reminder_plan: { is_active: false },
  // Amounts are in one column, or in separate ones of debits and credits.
  bank_csv_mapping: {
    ...{ amount_column: 'Amount', debit_column: null, credit_column: null, sign_column: null },
    account: 'DE89370400440532013000',
  },
  contract: { starts_on: dayFromStart(-30), ends_on: dayFromStart(335), value: 1 },
  invoice: { ...noSeries, ...delivered, issue_date: dayFromStart(-30), due_date: dayFromStart(-16) },
  // A corrected invoice must have been issued to the same customer.
  credit_note: { ...delivered, corrects_invoice_id: null },
  // Described by patterns only.
  saved_view: { screen: 'vendors', columns: ['name'], filters: { is_active: 'true' } },
  contact: traded,
  company: traded,
  // A name and its parts change together: all examples share it and differ in their phone number. A user is one employee.
  employee: {
    name: 'Ada Lovelace',
    first_name: 'Ada',
    last_name: 'Lovelace',
    user_id: null,
    get phone() {
      return `+44 20 ${++telephones}`
    },
  },
  // A document is created from a file.
  document: { file: new File(['Terms of delivery'], 'terms.txt') },
  // An incoming invoice is read from a file or an email attachment. Its number is unique per seller, and it stays open only when
  // something is wrong with it.
  incoming_invoice: {
    ...{ email_message_uuid: null, email_attachment_id: null },
    get file() {
      return new File([invoiceXml({ number: `R-${++bills}`, total: '120.00', attached: HOURS })], 'invoice.xml')
    },
  },
  // A slug changes with the name, and is unique.
  document_category: {
    name: 'Contracts',
    get slug() {
      return `contracts-${++slugs}`
    },
  },
  // The time of a follow-up is a text that no schema describes.
  lead: { follow_up: null },
  // An employee has one record a day; times are described by a pattern only.
  attendance_record: {
    check_in: '09:00:00',
    check_out: '17:30:00',
    ends_next_day: false,
    get date() {
      return dayFromStart(-1 - (days++ % 3000))
    },
  },
  // A tag's slug is unique; its colour is described by a pattern only.
  lead_tag: {
    get slug() {
      return `tag-${++slugs}`
    },
    color: '#1A2B3C',
  },
  // No stage is both won and lost.
  opportunity_stage: { is_won: false },
  // A code is unique across workspaces and described by a pattern only; a time becomes an instant. The title is the display name.
  short_link: {
    get code() {
      return `code-${++links}`
    },
    get title() {
      return `Link ${links}`
    },
    expires_at: instantFromStart(36_500),
  },
  // A project must not end before it starts.
  project: { starts_on: dayFromStart(-300) },
  // A payment's currency can't change, so examples differ in their reference; a day becomes an instant; draft invoices can't be
  // paid.
  payment: {
    currency: 'USD',
    paid_at: instantFromStart(-6),
    allocations: [],
    get reference() {
      return `Transfer ${++transfers}`
    },
  },
  // Server names are described by a pattern only. The first account becomes the default and stays it.
  email_account: { imap_host: 'imap.example.test', smtp_host: 'smtp.example.test', is_default: true },
  email_template: { body_html: '<p>Dear {{name}}</p>' },
  email_signature: { account_uuid: null },
}

/** Route to call before a record can be deleted, by type. */
export const beforeDeletion: Record<string, string> = {
  payment: '/void',
}

/** Required fields of every update, by type. */
export const sentWithChanges: Record<string, object> = {
  attendance_record: { change_reason: 'Corrected' },
}

/** Routes that require a role in addition to the permission (ATT-21). */
export const forAdmins = new Set(['PUT /attendance-reasons/:id', 'DELETE /attendance-reasons/:id'])

/** Fields accepted on creation and ignored in updates, by type. */
export const unchanging: Record<string, string[]> = {
  short_link: ['code'],
}
