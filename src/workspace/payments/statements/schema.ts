import { z } from 'zod'
import { actorRef, recordRef } from '#kernel/records/embed.ts'
import { view } from '#kernel/records/view.ts'
import { choice, coded, date, formatted, hardStamps, id, money, ref, refId } from '#kernel/values/fields.ts'
import { allocations } from '../schema.ts'
import { FORMATS } from './statement-data.ts'

export const STATUSES = ['open', 'matched', 'ignored', 'outgoing'] as const

export const BankStatement = view('bank_statements', 'BankStatement', {
  id: z.int(),
  format: coded(choice(FORMATS), {
    ...{ 'camt.053': 'CAMT.053', 'camt.052': 'CAMT.052', 'camt.054': 'CAMT.054', mt940: 'MT940', csv: 'CSV' },
  }).describe(
    'Format of the file: a statement (CAMT.053), a report within the day (CAMT.052), notifications of bookings (CAMT.054), MT940 or CSV.',
  ),
  account: z.string().meta({ description: 'The account: its IBAN, or another number.', examples: ['DE89370400440532013000'] }),
  account_holder: z
    .string()
    .nullable()
    .meta({ description: 'Whose account it is, as the bank says.', examples: ['Nordwind GmbH'] }),
  reference: z.string().meta({ description: 'What the bank calls the statement.', examples: ['2026-225'] }),
  sequence: z
    .string()
    .nullable()
    .meta({ description: 'Its number in the year, as the bank counts.', examples: ['225'] }),
  currency: formatted('currency'),
  from_date: date().nullable().describe('First day that it tells of; null: the bank doesn’t say.'),
  to_date: date().nullable().describe('Last day that it tells of; null: the bank doesn’t say.'),
  opening_balance: money()
    .nullable()
    .meta({
      description: 'What was on the account before; null: the bank doesn’t say, or not to four decimals.',
      examples: [1200.5],
    }),
  closing_balance: money()
    .nullable()
    .meta({
      description: 'What was on the account after it; null: the bank doesn’t say, or not to four decimals.',
      examples: [1319.5],
    }),
  entries: z.int().meta({ description: 'How many transactions it tells of.', examples: [12] }),
  new_entries: z.int().meta({ description: 'How many of them no earlier file had told of.', examples: [12] }),
  pending_entries: z
    .int()
    .meta({ description: 'How many more the bank has not booked yet; they come again once they are.', examples: [0] }),
  file_name: z.string().meta({ description: 'The file as it was named.', examples: ['camt053.xml'] }),
  sha256: z.string().meta({
    description: 'SHA-256 of the file, in hexadecimal.',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
  creator: actorRef('created_by'),
  ...hardStamps,
})

export const BankTransaction = view('bank_transactions', 'BankTransaction', {
  id: z.int(),
  bank_statement_id: z.int().meta({ description: 'Id of the statement that told of it first.', examples: [1] }),
  status: choice(STATUSES).describe('Whether it waits, is matched to a payment, is left alone, or went out.'),
  booked_on: date().describe('Day on which the bank booked it.'),
  value_date: date().nullable().describe('Day from which it counts for interest; null: the bank doesn’t say.'),
  amount: money().meta({ description: 'What came in; below 0: what went out.', examples: [119] }),
  currency: formatted('currency'),
  bank_charges: money()
    .nullable()
    .meta({ description: 'Charges that the bank deducted: `amount` is without them; null: none are named.', examples: [null] }),
  is_reversal: z.boolean().describe('Whether it takes an earlier one back: a reversal, a returned debit or transfer.'),
  return_reason: z
    .string()
    .nullable()
    .meta({ description: 'Why it was returned: a code of ISO 20022 (AM04: no funds), or the bank’s own.', examples: ['AM04'] }),
  return_information: z
    .string()
    .nullable()
    .meta({ description: 'What the bank adds to that reason.', examples: ['Not enough balance'] }),
  counterparty_name: z
    .string()
    .nullable()
    .meta({ description: 'Who paid, or was paid.', examples: ['Acme Ltd'] }),
  counterparty_iban: z
    .string()
    .nullable()
    .meta({ description: 'From which account, or to which.', examples: ['GB33BUKB20201555555555'] }),
  remittance: z
    .string()
    .nullable()
    .meta({ description: 'What the payer wrote.', examples: ['Invoice INV-00042'] }),
  creditor_reference: z
    .string()
    .nullable()
    .meta({ description: 'The reference that it was paid under (ISO 11649).', examples: ['RF84INV00042'] }),
  end_to_end_id: z
    .string()
    .nullable()
    .meta({ description: 'What the payer calls the payment.', examples: ['E2E-1'] }),
  bank_reference: z
    .string()
    .nullable()
    .meta({ description: 'What the bank calls it.', examples: ['2026112012345'] }),
  instructed_amount: money('instructed_currency')
    .nullable()
    .meta({ description: 'What was ordered, in another currency; null: in this one.', examples: [null] }),
  instructed_currency: z
    .string()
    .nullable()
    .meta({ description: 'The currency of that.', examples: [null] }),
  payment_id: z.int().nullable(),
  payment: recordRef('payment_id', 'payment', { id: z.int(), number: z.string(), status: z.string() }),
  returned_payment_id: z
    .int()
    .nullable()
    .meta({
      description: 'Id of the payment that it takes back; null: it takes none back, or none that is known.',
      examples: [null],
    }),
  returned_payment: recordRef('returned_payment_id', 'payment', { id: z.int(), number: z.string(), status: z.string() }),
  ...hardStamps,
})

const REASONS = ['reference', 'number', 'amount', 'account', 'name'] as const

const Proposed = z
  .object({
    invoice_id: refId('invoice'),
    number: z.string(),
    title: z.string(),
    customer: z
      .string()
      .nullable()
      .meta({ description: 'Whom it is for.', examples: ['Acme Ltd'] }),
    balance_due: money(),
    amount: money().meta({ description: 'How much of the transaction would pay it.', examples: [119] }),
    reasons: z
      .array(choice(REASONS))
      .describe(
        'Why: its reference (RF) or its number is named, the amount is what is left to pay, the account or the name is the customer’s.',
      ),
  })
  .meta({ id: 'ProposedInvoice' })
export type Reason = (typeof REASONS)[number]
export type Proposed = z.input<typeof Proposed>

const Proposal = z
  .object({
    transaction_id: z.int().meta({ description: 'Id of the transaction.', examples: [3] }),
    invoices: z
      .array(Proposed)
      .describe('The invoices: all of them together of a certain match, the likeliest first of a suggestion.'),
  })
  .meta({ id: 'MatchProposal' })
export type Proposal = z.input<typeof Proposal>

export const Proposals = z
  .object({
    certain: z
      .array(Proposal)
      .describe(
        'Transactions that name invoices and pay exactly what is left of them. `POST …/match` of the statement books these.',
      ),
    suggested: z.array(Proposal).describe('Transactions whose invoices somebody has to choose; of each at most five.'),
    has_more: z.boolean().describe('Whether further transactions wait behind these.'),
  })
  .meta({ id: 'MatchProposals' })

export const BankTransactionDetail = BankTransaction.safeExtend({
  certain: z.array(Proposed).describe('The invoices that it pays for certain; empty: somebody has to choose.'),
  suggested: z.array(Proposed).describe('Invoices that it may be for, the likeliest first; at most five.'),
}).meta({ id: 'BankTransactionDetail' })

/** Forms send a number as text, and no number as an empty text. */
const fromForm = (sent: unknown) =>
  sent === '' ? null : typeof sent === 'string' && /^\d{1,15}$/.test(sent) ? Number(sent) : sent

const mappingId = id()
  .nullish()
  .meta({
    'x-refers-to': 'bank_csv_mapping',
    description: 'Mapping by which a CSV file is read.',
    examples: [null],
  })

/** Form fields next to the file. */
export const ReadBankStatements = z.object({
  mapping_id: z.preprocess(fromForm, mappingId).optional() as unknown as typeof mappingId,
})

export const MatchTransaction = z.object({
  allocations: allocations()
    .optional()
    .describe('Which invoices it pays, each by how much. Unless sent: those that it pays for certain. `[]`: none yet.'),
  payment_id: ref('payment')
    .optional()
    .meta({ description: 'A payment that was posted by hand for the same money, instead of a new one.', examples: [7] }),
})

export const MatchedStatement = z
  .object({
    matched: z.int().meta({ description: 'How many transactions were booked.', examples: [9] }),
    proposals: Proposals.describe('What is left to choose.'),
  })
  .meta({ id: 'MatchedStatement' })

export const ReadStatements = z
  .object({
    statements: z.array(BankStatement).describe('The statements of the file, those that were here before too.'),
    entries: z.int().meta({ description: 'How many transactions they tell of.', examples: [12] }),
    new_entries: z.int().meta({ description: 'How many of them are new.', examples: [12] }),
    skipped_rows: z.int().meta({
      description: 'How many rows of CSV files have an amount and no day, such as totals; they are passed over.',
      examples: [0],
    }),
  })
  .meta({ id: 'ReadStatements' })
