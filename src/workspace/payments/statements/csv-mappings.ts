/** Mappings of banks' CSV files: a lookup table of the workspace for reading and previewing statements. */
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { limiter } from '#kernel/http/limits.ts'
import { lookupRoutes } from '#kernel/http/lookup-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { isBeyondReading, isolated } from '#kernel/isolate/isolated.ts'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { view } from '#kernel/records/view.ts'
import type { Upload, UploadRule } from '#kernel/storage/uploads.ts'
import {
  choice,
  coded,
  currency,
  date,
  formatted,
  hardStamps,
  money,
  optionalLine,
  text,
  wholeNumber,
} from '#kernel/values/fields.ts'
import { isIban } from '#kernel/values/iban.ts'
import { type CsvMapping, DATE_ORDERS, DECIMAL_SIGNS, DELIMITERS, ENCODINGS } from './csv-columns.ts'
import type { previewCsv } from './read-statements.ts'
import { BankTransaction } from './schema.ts'
import { accountOf } from './statement-data.ts'

const documented = {
  encoding: { description: 'Encoding of the file; `auto`: UTF-8 where it is that, else Windows-1252.', examples: ['auto'] },
  delimiter: { description: 'Character between the columns.', examples: ['semicolon'] },
  header_row: { description: 'Row with the names of the columns, from 1; 0: there is none.', examples: [1] },
  decimal_sign: { description: 'Sign before the decimals of amounts; the other one groups thousands.', examples: ['comma'] },
  date_order: { description: 'Order of day, month and year.', examples: ['dmy'] },
  account: {
    description: 'The account of the files: its IBAN, or another number; null: a column has it.',
    examples: ['DE89370400440532013000'],
  },
  currency: { description: 'Currency of the account; null: a column has it, or it is the workspace’s.', examples: ['EUR'] },
  booked_on_column: { description: 'Column with the day on which the bank booked it.', examples: ['Buchungstag'] },
  value_date_column: { description: 'Column with the day from which it counts for interest.', examples: ['Valutadatum'] },
  amount_column: { description: 'Column with the amount, below 0 for what went out.', examples: ['Betrag'] },
  sign_column: {
    description: 'Column that says whether an amount came in or went out: S or H, D or C, Af or Bij.',
    examples: ['Soll/Haben'],
  },
  debit_column: { description: 'Column with what went out, where it isn’t in the one of amounts.', examples: ['Soll'] },
  credit_column: { description: 'Column with what came in, where it isn’t in the one of amounts.', examples: ['Haben'] },
  currency_column: { description: 'Column with the currency.', examples: ['Waehrung'] },
  account_column: { description: 'Column with the account, where the files have several.', examples: ['Auftragskonto'] },
  counterparty_name_column: {
    description: 'Column with who paid, or was paid.',
    examples: ['Beguenstigter/Zahlungspflichtiger'],
  },
  counterparty_iban_column: { description: 'Column with their account.', examples: ['Kontonummer/IBAN'] },
  remittance_column: { description: 'Column with what the payer wrote.', examples: ['Verwendungszweck'] },
  further_remittance_column: { description: 'Column with further text.', examples: ['Buchungstext'] },
  end_to_end_id_column: {
    description: 'Column with what the payer calls the payment.',
    examples: ['Kundenreferenz (End-to-End)'],
  },
  bank_reference_column: { description: 'Column with what the bank calls it.', examples: ['Sammlerreferenz'] },
}

const encoding = coded(choice(ENCODINGS), {
  ...{
    auto: 'By the file',
    'utf-8': 'UTF-8',
    'windows-1252': 'Windows-1252',
    'iso-8859-15': 'ISO 8859-15',
    'utf-16': '16-bit Unicode',
  },
}).meta(documented.encoding)
const delimiter = coded(choice(DELIMITERS), {
  ...{ semicolon: 'Semicolon', comma: 'Comma', tab: 'Tab', pipe: 'Vertical bar' },
}).meta(documented.delimiter)
const decimalSign = coded(choice(DECIMAL_SIGNS), { comma: 'Comma', point: 'Point' }).meta(documented.decimal_sign)
const dateOrder = coded(choice(DATE_ORDERS), {
  ...{ dmy: 'Day, month, year', mdy: 'Month, day, year', ymd: 'Year, month, day' },
}).meta(documented.date_order)

const CreateMapping = z.object({
  name: text(100),
  encoding: encoding.default('auto'),
  delimiter: delimiter.default('semicolon'),
  header_row: wholeNumber(0, 100).default(1).meta(documented.header_row),
  decimal_sign: decimalSign.default('comma'),
  date_order: dateOrder.default('dmy'),
  account: optionalLine(60).meta(documented.account),
  currency: currency().nullish().meta(documented.currency),
  booked_on_column: text(100).meta(documented.booked_on_column),
  value_date_column: optionalLine(100).meta(documented.value_date_column),
  amount_column: optionalLine(100).meta(documented.amount_column),
  sign_column: optionalLine(100).meta(documented.sign_column),
  debit_column: optionalLine(100).meta(documented.debit_column),
  credit_column: optionalLine(100).meta(documented.credit_column),
  currency_column: optionalLine(100).meta(documented.currency_column),
  account_column: optionalLine(100).meta(documented.account_column),
  counterparty_name_column: optionalLine(100).meta(documented.counterparty_name_column),
  counterparty_iban_column: optionalLine(100).meta(documented.counterparty_iban_column),
  remittance_column: optionalLine(100).meta(documented.remittance_column),
  further_remittance_column: optionalLine(100).meta(documented.further_remittance_column),
  end_to_end_id_column: optionalLine(100).meta(documented.end_to_end_id_column),
  bank_reference_column: optionalLine(100).meta(documented.bank_reference_column),
})

const BankCsvMapping = view('bank_csv_mappings', 'BankCsvMapping', {
  id: z.int(),
  name: z.string(),
  encoding,
  delimiter,
  header_row: z.int().meta(documented.header_row),
  decimal_sign: decimalSign,
  date_order: dateOrder,
  account: z.string().nullable().meta(documented.account),
  currency: formatted('currency').nullable().meta(documented.currency),
  booked_on_column: z.string().meta(documented.booked_on_column),
  value_date_column: z.string().nullable().meta(documented.value_date_column),
  amount_column: z.string().nullable().meta(documented.amount_column),
  sign_column: z.string().nullable().meta(documented.sign_column),
  debit_column: z.string().nullable().meta(documented.debit_column),
  credit_column: z.string().nullable().meta(documented.credit_column),
  currency_column: z.string().nullable().meta(documented.currency_column),
  account_column: z.string().nullable().meta(documented.account_column),
  counterparty_name_column: z.string().nullable().meta(documented.counterparty_name_column),
  counterparty_iban_column: z.string().nullable().meta(documented.counterparty_iban_column),
  remittance_column: z.string().nullable().meta(documented.remittance_column),
  further_remittance_column: z.string().nullable().meta(documented.further_remittance_column),
  end_to_end_id_column: z.string().nullable().meta(documented.end_to_end_id_column),
  bank_reference_column: z.string().nullable().meta(documented.bank_reference_column),
  ...hardStamps,
})

const mappings = lookupTable({
  table: 'bank_csv_mappings',
  noun: 'bank CSV mapping',
  item: BankCsvMapping,
  unique: { bank_csv_mappings_name: { name: 'Another bank CSV mapping has this name.' } },
})

/** Ensures columns for amounts and account. 422 on the missing field. */
function ensureComplete(mapping: Partial<Row<'bank_csv_mappings'>>) {
  const { amount_column, debit_column, credit_column, sign_column, account, account_column } = mapping
  const errors: Record<string, string> = {}
  if (amount_column && (debit_column || credit_column))
    errors.amount_column = 'Must be left out where debits or credits have columns.'
  if (!amount_column && !(debit_column && credit_column))
    errors.amount_column = 'Is required, unless debits and credits have columns.'
  if (sign_column && !amount_column) errors.sign_column = 'Needs a column with the amounts.'
  if (!account && !account_column) errors.account = 'Is required, unless a column has it.'
  if (Object.keys(errors).length) throw invalid(errors)
}

/** An account that begins like an IBAN must be one: no statement of another format would have the same account. */
function ensureAccount(account: string | null | undefined) {
  const plain = accountOf(account ?? '')
  if (/^[A-Z]{2}\d{2}/.test(plain) && !isIban(plain))
    throw invalid({ account: 'Must be an IBAN: a letter or digit of it is wrong.' })
}

const allow = 'payments.reconcile'

/** Returns a mapping; 422 on `mapping_id` of an unknown one. */
export async function csvMappingOf(ctx: Ctx, id: number): Promise<CsvMapping> {
  const row = await ctx.from('bank_csv_mappings').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw invalid({ mapping_id: 'There is no such bank CSV mapping.' })
  return { ...row, currency: row.currency ?? ctx.tenant.currency }
}

/** Detected kinds of text files that merely start like another type: "BMI", "ID3". */
export const TEXT_KINDS = ['', 'ps', 'eps', 'bmp', 'stl', 'mp3']
const csvFile: UploadRule = { maxBytes: 20 * 1024 * 1024, kinds: TEXT_KINDS, expected: 'a CSV file of a bank', tooLarge: 422 }

const { counterparty_name, counterparty_iban, remittance, end_to_end_id, bank_reference } = BankTransaction.shape
const Previewed = z
  .object({
    booked_on: date(),
    value_date: date().nullable(),
    amount: money(),
    currency: formatted('currency'),
    account: z.string().meta({ description: 'The account: its IBAN, or another number.', examples: ['DE89370400440532013000'] }),
    ...{ counterparty_name, counterparty_iban, remittance, end_to_end_id, bank_reference },
  })
  .meta({ id: 'PreviewedBankTransaction' })

const CsvPreview = z
  .object({
    headers: z.array(z.string()).describe('The columns of the file, by their names or, without a header, their numbers.'),
    entries: z.int().meta({ description: 'How many transactions it has that can be read.', examples: [12] }),
    transactions: z.array(Previewed).describe('The first 20 of them, as they would be read.'),
    problems: z
      .array(z.string())
      .describe('Rows that can’t be read, and why; at most 20. A file with any is refused when it is read in.'),
    pending_entries: z
      .int()
      .meta({ description: 'How many more the bank has not booked yet; they are passed over.', examples: [0] }),
    skipped_rows: z
      .int()
      .meta({ description: 'How many rows have an amount and no day, such as totals; they are passed over.', examples: [1] }),
  })
  .meta({ id: 'BankCsvPreview' })

const preview = isolated<typeof previewCsv>(import.meta.resolve('./read-statements.ts'), 'previewCsv', {
  seconds: 30,
  megabytes: 700,
})

/** Parses a file by a mapping without storing anything. 422 on `file` where it is unreadable as a whole. */
async function previewFile(steps: WorkspaceSteps, id: number, file: Upload | undefined) {
  const mapping = await steps.read(async (ctx) => {
    await mappings.find(ctx, id)
    return csvMappingOf(ctx, id)
  })
  if (!file) throw invalid({ file: 'Is required.' })
  const content = await steps.services.storage.read(file.key)
  if (!content) throw notFound('There is no such file.')
  const outcome = await preview(steps.services, steps.tenant.id, { content: await buffer(content), mapping }).catch((error) => {
    throw isBeyondReading(error) ? invalid({ file: 'Is more than can be read.' }) : error
  })
  if ('wrong' in outcome) throw invalid({ file: outcome.wrong })
  return outcome
}

export default [
  ...lookupRoutes(mappings, '/bank-csv-mappings', {
    list: listing(mappings, { sorts: ['name'], order: { by: ['name'] }, hardDeleted: true }),
    body: CreateMapping,
    allow: { view: allow, create: allow, update: allow, delete: allow },
    async create(ctx, body) {
      ensureComplete(body)
      ensureAccount(body.account)
      return mappings.insert(ctx, body)
    },
    async update(ctx, mapping, body) {
      ensureComplete({ ...mapping, ...body })
      ensureAccount(body.account)
      return mappings.save(ctx, mapping, body)
    },
  }),
  workspace.multiTransaction.post(
    '/bank-csv-mappings/:id/preview',
    {
      allow,
      grants: false,
      body: z.object({}),
      upload: { file: { ...csvFile, required: true } },
      reply: CsvPreview,
      message: 'File read.',
      limit: limiter({ name: 'bank-csv-previews', points: 30, seconds: 60, by: 'user' }),
      operation: 'previewBankCsv',
      summary: 'Preview a CSV file of a bank',
      description: 'Reads a CSV file by the mapping and answers what would come of it. Nothing is stored.',
    },
    (steps, { id, files }) => previewFile(steps, id, files.file),
  ),
]
