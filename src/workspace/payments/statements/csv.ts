/** Reader of the CSV files of banks by a mapping of their columns. Runs in a child process. */
import { parse } from 'csv-parse/sync'
import { withoutDelimiterLine } from '#kernel/values/csv-delimiter-line.ts'
import { decimal } from '#kernel/values/money.ts'
import { xsDate, xsDecimal } from '#kernel/values/xml-schema-types.ts'
import { COLUMN_FIELDS, type ColumnField, type CsvMapping } from './csv-columns.ts'
import {
  accountOf,
  cut,
  type EntryData,
  ensureBookable,
  fingerprint,
  MAX_ENTRIES,
  referenceOf,
  remittanceOf,
  type StatementData,
  Unreadable,
} from './statement-data.ts'

const DELIMITER = { semicolon: ';', comma: ',', tab: '\t', pipe: '|' } as const
const MAX_COLUMNS = 200
/** Of a cell with an amount: 18 digits with their groups, signs and a currency are shorter. */
const MAX_AMOUNT_LENGTH = 60
const MAX_CHARACTERS_OF_ROW = 100_000
/** The entries, and 1,000 rows before, between and after them. */
const MAX_ROWS = MAX_ENTRIES + 1000
/** Problems that a preview lists. */
const MAX_PROBLEMS = 20

export interface CsvTable {
  /** Names of the columns, or their numbers where there is no header. */
  headers: string[]
  entries: EntryData[]
  /** Accounts of the entries, in their order. */
  accounts: string[]
  /** Sentences about rows that can't be read, each with its number. */
  problems: string[]
  /** Number of rows that have an amount and no day, such as totals. */
  skippedRows: number
  /** Rows that the bank hasn't booked yet, each as the key of its account and currency. */
  pending: string[]
}

/** The statements of a CSV file: one for each account and currency. Throws an Unreadable that names the first row that can't be read. */
export function readCsv(bytes: Uint8Array, mapping: CsvMapping): { statements: StatementData[]; skippedRows: number } {
  const { entries, accounts, problems, skippedRows, pending } = tableOf(bytes, mapping)
  if (problems.length) throw new Unreadable(problems[0]!)
  if (!entries.length) throw new Unreadable('Holds no entry below its header.')
  const seen = new Map<string, number>()
  const groups = Map.groupBy(entries.keys(), (n) => keyOf(accounts[n]!, entries[n]!.currency))
  const pendingOf = Map.groupBy(pending, (key) => key)
  const statements = [...groups].map(([key, numbers]) => {
    const account = accounts[numbers[0]!]!
    const own = numbers.map((n) => entries[n]!)
    const days = own.map(({ booked_on }) => booked_on).sort()
    const [from_date, to_date] = [days[0]!, days.at(-1)!]
    return {
      ...{ format: 'csv' as const, reference: `${from_date} – ${to_date}`, account, account_holder: null },
      ...{ currency: own[0]!.currency, sequence: null, from_date, to_date, opening_balance: null, closing_balance: null },
      entries: own.map((entry, entry_index) => ({ ...entry, entry_index, ...fingerprint(account, entry, seen) })),
      pending: pendingOf.get(key)?.length ?? 0,
    }
  })
  return { statements, skippedRows }
}

const keyOf = (account: string, currency: string) => `${account}\n${currency}`

/** The header and the entries of a CSV file, and which rows can't be read. Throws an Unreadable where that is so of the file. */
export function tableOf(bytes: Uint8Array, mapping: CsvMapping): CsvTable {
  const rows = rowsOf(decoded(bytes, mapping.encoding), DELIMITER[mapping.delimiter])
  const header = mapping.header_row ? rows.find(({ line }) => line >= mapping.header_row) : undefined
  if (mapping.header_row && !header) throw new Unreadable(`Has no row ${mapping.header_row}, which is the header by the mapping.`)
  const width = Math.max(...rows.map(({ cells }) => cells.length), 0)
  const headers = header
    ? header.cells.map((name) => name.replace(/\s+/g, ' ').trim())
    : Array.from({ length: width }, (_, n) => String(n + 1))
  const columns = columnsOf(headers, mapping)
  const table: CsvTable = { headers, entries: [], accounts: [], problems: [], skippedRows: 0, pending: [] }
  const texts = new Set(PAYER_FIELDS.map((field) => columns.get(field)))
  for (const row of rows) {
    if (header && row.line <= header.line) continue
    const cell = (field: ColumnField) => {
      const at = columns.get(field)
      return (at === undefined ? undefined : row.cells[at]?.trim()) || undefined
    }
    const hasAmount = !!(cell('amount') || cell('debit') || cell('credit'))
    if (!cell('booked_on') && !hasAmount) continue
    if (isPending(row.cells, texts) || cell('booked_on')?.toLowerCase() === 'offen') {
      table.pending.push(keyOf(accountOf(mapping.account ?? cell('account') ?? ''), currencyOf(cell, mapping)))
      continue
    }
    // Banks put totals below the entries.
    if (!cell('booked_on')) {
      table.skippedRows++
      continue
    }
    try {
      const { account, entry } = entryOf(cell, mapping, table.entries.length)
      table.accounts.push(account)
      table.entries.push(entry)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      table.problems.push(`Row ${row.line}: ${error.message}`)
      if (table.problems.length === MAX_PROBLEMS) break
    }
    if (table.entries.length > MAX_ENTRIES) throw new Unreadable(`Holds more than ${MAX_ENTRIES} entries; send it in parts.`)
  }
  if (rows.length > MAX_ROWS && table.problems.length < MAX_PROBLEMS)
    throw new Unreadable(`Has more than ${MAX_ROWS} rows; send it in parts.`)
  return table
}

/** Columns whose texts the payer writes. */
const PAYER_FIELDS = ['remittance', 'counterparty_name', 'end_to_end_id'] as const
/** Words of banks for an entry that isn't booked yet. One is the whole text of a cell. */
const PENDING =
  /^(?:Umsatz )?(?:vorgemerkt|pending|in behandeling|en attente|pendiente)$|^(?:vorgemerkter Umsatz|Vormerkung|ausstehend)$/i
const isPending = (cells: string[], texts: Set<number | undefined>) =>
  cells.some((content, n) => content.length < 40 && !texts.has(n) && PENDING.test(content.trim()))

/** The text in the encoding of the mapping; `auto`: by its byte order mark, else UTF-8 where all bytes are valid, else Windows-1252. */
function decoded(bytes: Uint8Array, encoding: CsvMapping['encoding']): string {
  const decode = (label: string) => new TextDecoder(label, { fatal: true }).decode(bytes)
  const [a, b] = bytes
  const marked = a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : undefined
  try {
    const text =
      encoding === 'auto' ? decode(marked ?? 'utf-8') : decode(encoding === 'utf-16' ? (marked ?? 'utf-16le') : encoding)
    if (text.includes('\0')) throw new Unreadable('Is no text.')
    return text
  } catch (error) {
    if (error instanceof Unreadable) throw error
    if (encoding !== 'auto' || marked || bytes.includes(0))
      throw new Unreadable(`Holds bytes that are not ${encoding.toUpperCase()}.`)
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

interface CsvRow {
  /** Number of its first line, from 1. */
  line: number
  cells: string[]
}

/** The rows of a text. A delimiter that its first line names comes before the one of the mapping; that line is counted and is no row. */
function rowsOf(content: string, delimiterOfMapping: string): CsvRow[] {
  const { text, delimiter = delimiterOfMapping } = withoutDelimiterLine(content)
  const before = text.length < content.length ? 1 : 0
  try {
    const records = parse(text, {
      ...{ bom: true, delimiter, info: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true },
      ...{ max_record_size: MAX_CHARACTERS_OF_ROW, to: MAX_ROWS + 1 },
    }) as unknown as { info: { lines: number }; record: string[] }[]
    return records.map(({ info, record }) => {
      if (record.length > MAX_COLUMNS) throw new Unreadable(`Has more than ${MAX_COLUMNS} columns.`)
      const breaks = record.reduce((sum, cell) => sum + (cell.split('\n').length - 1), 0)
      return { line: before + info.lines - breaks, cells: record }
    })
  } catch (error) {
    if (error instanceof Unreadable) throw error
    throw new Unreadable(`Is no sound CSV: ${(error as Error).message.slice(0, 200)}`)
  }
}

/** The place of each column that the mapping names, by its header or its number. */
function columnsOf(headers: string[], mapping: CsvMapping): Map<ColumnField, number> {
  const columns = new Map<ColumnField, number>()
  const folded = headers.map((name) => name.toLowerCase())
  for (const field of COLUMN_FIELDS) {
    const name = mapping[`${field}_column`]
    if (!name) continue
    const byName = folded.indexOf(name.replace(/\s+/g, ' ').trim().toLowerCase())
    const number = /^\d{1,3}$/.test(name) ? Number(name) - 1 : -1
    const at = byName >= 0 ? byName : number
    if (at < 0 || at >= headers.length)
      throw new Unreadable(`Has no column “${name.slice(0, 60)}”; its columns are ${headers.join(', ').slice(0, 500)}.`)
    columns.set(field, at)
  }
  return columns
}

type Cell = (field: ColumnField) => string | undefined

const currencyOf = (cell: Cell, mapping: CsvMapping) => (cell('currency') ?? mapping.currency).toUpperCase()

function entryOf(cell: Cell, mapping: CsvMapping, index: number): { account: string; entry: EntryData } {
  const booked_on = dateOf(cell('booked_on'), mapping.date_order)
  if (!booked_on) throw new Unreadable(`Has no day that can be read: “${(cell('booked_on') ?? '').slice(0, 40)}”.`)
  const amount = amountIn(cell, mapping)
  const currency = currencyOf(cell, mapping)
  ensureBookable(currency, amount)
  const written = mapping.account ?? cell('account')
  if (!written) throw new Unreadable('Has no account.')
  const reference = referenceOf(cell('bank_reference'))
  const value_date = dateOf(cell('value_date'), mapping.date_order)
  // Some banks write 00.00.0000 where there is none.
  if (!value_date && /[1-9]/.test(cell('value_date') ?? ''))
    throw new Unreadable(`Has no value date that can be read: “${cell('value_date')!.slice(0, 40)}”.`)
  const entry: EntryData = {
    ...{ fingerprint: '', identity: '', entry_index: index, entry_amount: amount, entry_reference: reference, booked_on },
    value_date: value_date ?? null,
    ...{ amount, currency, bank_charges: null, is_reversal: false, return_reason: null, return_information: null },
    counterparty_name: cut(cell('counterparty_name')),
    counterparty_iban: cut(cell('counterparty_iban')?.replace(/\s/g, '').toUpperCase()),
    remittance: remittanceOf([cell('remittance'), cell('further_remittance')]),
    ...{ creditor_reference: null, end_to_end_id: referenceOf(cell('end_to_end_id')), bank_reference: reference },
    ...{ instructed_amount: null, instructed_currency: null },
  }
  return { account: accountOf(written), entry }
}

/** Signs of debits and credits as banks name them. */
const DEBIT = /^(-|−|S|SOLL|D|DR|DBIT|DEBIT|DÉBIT|DEBET|AF|OUT|BELASTUNG|LASTSCHRIFT)$/i
const CREDIT = /^(\+|H|HABEN|C|CR|CRDT|CREDIT|CRÉDIT|BIJ|IN|GUTSCHRIFT)$/i

function amountIn(cell: (field: ColumnField) => string | undefined, { decimal_sign, amount_column }: CsvMapping): string {
  if (!amount_column) {
    const [debit, credit] = [amountOf(cell('debit'), decimal_sign), amountOf(cell('credit'), decimal_sign)]
    const isOut = debit !== undefined && !decimal(debit).eq(0)
    if (isOut && credit !== undefined && !decimal(credit).eq(0)) throw new Unreadable('Has a debit and a credit.')
    if (isOut) return decimal(debit).abs().times(-1).toFixed()
    if (credit !== undefined) return credit
    throw new Unreadable(`Has no amount that can be read: “${(cell('debit') ?? cell('credit') ?? '').slice(0, 40)}”.`)
  }
  const amount = amountOf(cell('amount'), decimal_sign)
  if (amount === undefined) throw new Unreadable(`Has no amount that can be read: “${(cell('amount') ?? '').slice(0, 40)}”.`)
  const sign = cell('sign')
  if (sign === undefined) return amount
  if (DEBIT.test(sign)) return decimal(amount).abs().times(-1).toFixed()
  if (CREDIT.test(sign)) return decimal(amount).abs().toFixed()
  throw new Unreadable(`Says by “${sign.slice(0, 40)}” neither that it came in nor that it went out.`)
}

const GROUP_SIGNS = { comma: /[.'’\s]/u, point: /[,'’\s]/u }

/** `1.234,56`, `-1234.5`, `12,50-`, `(12.50)`, `1 234,56 EUR`. Groups must be of three digits: a wrong decimal sign isn't read as another amount. */
function amountOf(text: string | undefined, decimalSign: CsvMapping['decimal_sign']): string | undefined {
  const { digits, isNegative } = signedDigits(text ?? '') ?? {}
  if (digits === undefined) return undefined
  const [point, group] = decimalSign === 'comma' ? [',', '.'] : ['.', ',']
  const [whole = '', fraction, ...more] = digits.split(point)
  if (more.length || fraction?.includes(group)) return undefined
  const groups = whole.split(GROUP_SIGNS[decimalSign])
  if (groups.length > 1 && !(/^\d{1,3}$/.test(groups[0]!) && groups.slice(1).every((three) => /^\d{3}$/.test(three))))
    return undefined
  const amount = xsDecimal(fraction === undefined ? groups.join('') : `${groups.join('')}.${fraction}`, { fractionDigits: 5 })
  return amount && (isNegative ? amount.times(-1) : amount).toFixed()
}

/** Digits and their signs, without a currency around them; negative by a sign before or behind them, or by parentheses. */
function signedDigits(text: string): { digits: string; isNegative: boolean } | undefined {
  let rest = text.trim()
  if (rest.length > MAX_AMOUNT_LENGTH) return undefined
  const isEnclosed = rest.startsWith('(') && rest.endsWith(')')
  if (isEnclosed) rest = rest.slice(1, -1).trim()
  rest = rest
    .replace(/^(?:[A-Z]{3}|[€$£])/u, '')
    .replace(/(?:[A-Z]{3}|[€$£])$/u, '')
    .trim()
  const isSignedBefore = /^[+−-]/u.test(rest)
  const isSignedBehind = /[−-]$/u.test(rest)
  if (isSignedBefore && isSignedBehind) return undefined
  const digits = rest.slice(isSignedBefore ? 1 : 0, isSignedBehind ? -1 : undefined).trim()
  return /^[\d.,'’\s]+$/u.test(digits) ? { digits, isNegative: isEnclosed || isSignedBehind || /^[−-]/u.test(rest) } : undefined
}

/** `19.11.2026`, `19/11/26`, `2026-11-19`, `20261119`, each also with a time after it. */
function dateOf(text: string | undefined, order: CsvMapping['date_order']): string | undefined {
  const day = /^\S{6,10}/.exec(text ?? '')?.[0]
  const parts = /^(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})\.?$/.exec(day ?? '')?.slice(1) ?? compactDay(day, order)
  if (!parts) return undefined
  const [year, month, date] = order === 'ymd' ? parts : order === 'dmy' ? parts.toReversed() : [parts[2], parts[0], parts[1]]
  if (!year || !month || !date || !/^(\d\d|\d{4})$/.test(year) || month.length > 2 || date.length > 2) return undefined
  return xsDate(`${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`)
}

const compactDay = (day: string | undefined, order: CsvMapping['date_order']) =>
  (order === 'ymd' ? /^(\d{4})(\d\d)(\d\d)$/ : /^(\d\d)(\d\d)(\d{4})$/).exec(day ?? '')?.slice(1)
