/**
 * Reader of bank statements in MT940 (SWIFT), and of MT942 where a bank offers that within the day: German banks with subfields (`?20` to `?29`), Dutch and
 * other ones with keys (`/REMI/`), and those whose texts have no structure. Runs in a child process.
 */
import { isIban } from '#kernel/values/iban.ts'
import { decimal } from '#kernel/values/money.ts'
import { xsDate, xsDecimal } from '#kernel/values/xml-schema-types.ts'
import {
  accountOf,
  chargesIn,
  cut,
  type EntryData,
  ensureBookable,
  fingerprint,
  isReturnGvc,
  isStorable,
  MAX_ENTRIES,
  MAX_STATEMENTS,
  referenceOf,
  remittanceOf,
  type StatementData,
  Unreadable,
} from './statement-data.ts'

interface Field {
  tag: string
  /** Its lines. */
  lines: string[]
}

/** Whether a text is a file in MT940: it begins with a field 20, after the blocks of a SWIFT message or a line of the bank's. */
export const isMt940 = (text: string) => /^(?:[^\n]{0,200}\n){0,5}?(?:\{[^\n]{0,200}\{4:\s*)?:20:/.test(text)

/** The statements of a text. Throws an Unreadable. */
export function readMt940(text: string): StatementData[] {
  const messages = messagesOf(fieldsOf(text))
  if (!messages.length) throw new Unreadable('Holds no statement.')
  if (messages.length > MAX_STATEMENTS) throw new Unreadable(`Holds more than ${MAX_STATEMENTS} statements.`)
  return messages.map(statementOf)
}

function fieldsOf(text: string): Field[] {
  const fields: Field[] = []
  for (const line of text.split(/\r\n|\n|\r/)) {
    const content = textBlockOf(line)
    const [head, tag] = /^:(\d{2}[A-Z]?):/.exec(content) ?? []
    if (tag !== undefined) fields.push({ tag, lines: [content.slice(head!.length)] })
    else if (/^-\}?\s*$/.test(line)) fields.push({ tag: '-', lines: [] })
    else if (fields.at(-1) && fields.at(-1)!.tag !== '-') fields.at(-1)!.lines.push(line)
  }
  return fields.filter(({ tag }) => tag !== '-')
}

/** A line without the blocks of a SWIFT message that stand before its text, which is block 4. */
function textBlockOf(line: string): string {
  const block = line.startsWith('{') ? line.lastIndexOf('{4:') : -1
  return block < 0 ? line : line.slice(block + 3).trimStart()
}

/** A message for each field 20. */
function messagesOf(fields: Field[]): Field[][] {
  const messages: Field[][] = []
  for (const field of fields) {
    if (field.tag === '20') messages.push([])
    messages.at(-1)?.push(field)
  }
  return messages
}

function statementOf(fields: Field[]): StatementData {
  const value = (...tags: string[]) => fields.find(({ tag }) => tags.includes(tag))?.lines[0]?.trim()
  const written = value('25', '25P')
  if (!written) throw new Unreadable('Has a statement without an account.')
  const account = accountOf(written)
  const [opening, closing] = [balanceOf(value('60F', '60M')), balanceOf(value('62F', '62M'))]
  const currency = opening?.currency ?? closing?.currency ?? /^[A-Z]{3}/.exec(value('34F') ?? '')?.[0]
  if (!currency) throw new Unreadable('Has a statement without a currency.')
  const seen = new Map<string, number>()
  const lines = linesOf(fields)
  if (lines.length > MAX_ENTRIES) throw new Unreadable(`Holds more than ${MAX_ENTRIES} entries; send it in parts.`)
  const booked = lines.filter(({ line }) => !line.isExpected)
  const number = value('28C', '28')
  return {
    format: 'mt940',
    reference: cut([value('20'), number].filter(Boolean).join(' '))!,
    account,
    account_holder: null,
    currency,
    sequence: cut(number),
    from_date: opening?.date ?? null,
    to_date: closing?.date ?? null,
    opening_balance: opening?.amount ?? null,
    closing_balance: closing?.amount ?? null,
    entries: booked.map(({ line, information }, index) => entryOf(line, information, { account, currency, index, seen })),
    pending: lines.length - booked.length,
  }
}

/** Each field 61 with the fields 86 that come directly after it. */
function linesOf(fields: Field[]) {
  const found: { line: Line; information: string[] }[] = []
  let isInformed = false
  for (const { tag, lines } of fields) {
    if (tag === '61') found.push({ line: lineOf(lines), information: [] })
    else if (tag === '86' && isInformed) found.at(-1)!.information.push(...lines)
    isInformed = tag === '61' || (tag === '86' && isInformed)
  }
  return found
}

/** `1.234,56`, `1234,56`, `1234,` and `1234.56`. */
function amountOf(text: string): string | undefined {
  const plain = text.includes(',') ? text.replaceAll('.', '').replace(',', '.') : text
  return xsDecimal(plain, { totalDigits: 18, fractionDigits: 5 })?.toFixed()
}

/** `YYMMDD`. Banks that count each month as 30 days write 30 February: the last day of the month is meant. */
function dateOf(text: string | undefined): string | undefined {
  const [, year, month, day] = /^(\d\d)(\d\d)(\d\d)$/.exec(text ?? '') ?? []
  if (!year) return undefined
  const days = [day!, ...(month === '02' && (day === '30' || day === '29') ? ['29', '28'] : [])]
  return days.map((one) => xsDate(`${Number(year) < 80 ? '20' : '19'}${year}-${month}-${one}`)).find((one) => one !== undefined)
}

function balanceOf(text: string | undefined) {
  const [, side, date, currency, digits] = /^([CD])(\d{6})([A-Z]{3})([\d.,]{1,30})$/.exec(text ?? '') ?? []
  const amount = digits === undefined ? undefined : amountOf(digits)
  if (amount === undefined) return undefined
  const value = side === 'D' ? decimal(amount).times(-1).toFixed() : amount
  return { currency: currency!, date: dateOf(date), amount: isStorable(value) ? value : null }
}

interface Line {
  value_date: string
  booked_on: string
  amount: string
  isReversal: boolean
  isExpected: boolean
  /** SWIFT type of the transaction: TRF, DDT, RTI. */
  type: string
  customer: string | null
  bank: string | null
  /** Text after the first line. */
  supplement: string
}

const LINE =
  /^(\d{6})(\d{4})? {0,4}(RC|RD|EC|ED|C|D)([A-Z])?([\d.,]{1,30})(?:[A-Z]([A-Z0-9]{3}))?((?:(?!\/\/)[^\n])*)(?:\/\/([^\n]*))?(?:\n([\s\S]*))?$/

/** Field 61. A reversal of a credit (RC) is a debit, that of a debit (RD) a credit. */
function lineOf(lines: string[]): Line {
  const found = LINE.exec(lines.join('\n').slice(0, 500))
  const [, valued, booked, mark, , digits, type, customer, bank, supplement] = found ?? []
  const [value_date, amount] = [dateOf(valued), digits === undefined ? undefined : amountOf(digits)]
  const booked_on = value_date && bookedOn(booked, value_date)
  if (!found || !value_date || !booked_on || amount === undefined)
    throw new Unreadable(`Has a field 61 that can’t be read: “${lines[0]!.slice(0, 60)}”.`)
  const isOut = mark === 'D' || mark === 'ED' || mark === 'RC'
  return {
    value_date,
    booked_on,
    amount: isOut ? decimal(amount).times(-1).toFixed() : amount,
    isReversal: mark!.startsWith('R'),
    isExpected: mark!.startsWith('E'),
    type: type ?? '',
    customer: referenceOf(customer?.trim()),
    bank: referenceOf(bank?.trim()),
    supplement: supplement ?? '',
  }
}

/** The day of an `MMDD`, in the year that is nearest to the value date; undefined where it can't be read. */
function bookedOn(text: string | undefined, valueDate: string): string | undefined {
  if (!text) return valueDate
  const year = Number(valueDate.slice(0, 4))
  const days = [year, year - 1, year + 1].map((one) => dateOf(`${String(one).slice(2)}${text}`))
  const distance = (day: string) => Math.abs(Date.parse(day) - Date.parse(valueDate))
  return days.filter((day) => day !== undefined).sort((a, b) => distance(a) - distance(b))[0]
}

/** Properties that field 86 tells of a transaction. */
type Information = Partial<
  Pick<EntryData, 'counterparty_name' | 'counterparty_iban' | 'remittance' | 'creditor_reference' | 'end_to_end_id'>
> & {
  isReturn?: boolean
  reason?: string | undefined
  /** Amount before the bank's charges. */
  original?: string | undefined
}

interface Position {
  account: string
  currency: string
  index: number
  seen: Map<string, number>
}

function entryOf(line: Line, information: string[], { account, currency, index, seen }: Position): EntryData {
  ensureBookable(currency, line.amount)
  const known = informationOf(information)
  const is_reversal = line.isReversal || line.type === 'RTI' || !!known.isReturn
  // ASN Bank has the other account in place of the reference.
  const isAccount = isIban(line.customer ?? '')
  const original = known.original ?? amountIn(currency, ORIGINAL.exec(line.supplement))
  const named = amountIn(currency, CHARGES.exec(line.supplement))
  // Rabobank has the other account on a line of its own.
  const supplemented = line.supplement.split('\n').map((one) => one.replace(/\s/g, '').toUpperCase())
  const counterparty_iban = known.counterparty_iban ?? (isAccount ? line.customer : null)
  const entry = {
    ...{ entry_index: index, entry_amount: line.amount, entry_reference: line.bank },
    ...{ booked_on: line.booked_on, value_date: line.value_date, amount: line.amount, currency, is_reversal },
    bank_charges: (is_reversal ? chargesIn(line.amount, original) : null) ?? deductedFrom(line.amount, named, original),
    return_reason: is_reversal ? cut(known.reason) : null,
    return_information: null,
    counterparty_name: known.counterparty_name ?? null,
    counterparty_iban: counterparty_iban ?? supplemented.find(isIban) ?? null,
    remittance: known.remittance ?? null,
    creditor_reference: known.creditor_reference ?? null,
    end_to_end_id: known.end_to_end_id ?? (isAccount || /^[A-Z]{4}\+?$/.test(line.customer ?? '') ? null : line.customer),
    bank_reference: line.bank,
    ...{ instructed_amount: null, instructed_currency: null },
  }
  // The fingerprint of an entry stays what it was when accounts on a line of their own weren't read.
  return { ...entry, ...fingerprint(account, { ...entry, counterparty_iban }, seen) }
}

const ORIGINAL = /\/OCMT\/([A-Z]{3})([\d.,]{1,20})/
const CHARGES = /\/CHGS\/([A-Z]{3})([\d.,]{1,20})/

/** An amount of field 61 where it is in the currency of the account. */
const amountIn = (currency: string, found: RegExpExecArray | null) => (found?.[1] === currency ? amountOf(found[2]!) : undefined)

/** The charges that the bank names. Where it names the original amount too, it is so much more than what came in, or so much less than what went out. */
function deductedFrom(amount: string, charges: string | undefined, original: string | undefined): string | null {
  if (charges === undefined || decimal(charges).eq(0) || !isStorable(charges)) return null
  const adds = original === undefined || decimal(amount).plus(charges).abs().eq(original)
  return adds ? charges : null
}

const MAX_INFORMATION = 10_000

function informationOf(lines: string[]): Information {
  const joined = lines.join('').slice(0, MAX_INFORMATION)
  const [, gvc, separator] = /^(\d{3})([^\w\s/])(?=\d\d)/.exec(joined) ?? []
  if (gvc && separator) return german(joined.slice(3), gvc, separator)
  if (/^\s*\/[A-Z]{2,4}\//.test(joined)) return keyed(joined)
  return { remittance: remittanceOf(lines.map((line) => line.trim())) }
}

/** Length of a subfield: a text that fills one goes on in the next without a space. */
const SUBFIELD = 27
const KEY = /^(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|IBAN|BIC|BREF|RREF|PURP)\+/

/** The texts of subfields, by their keys; '' for texts before the first key. */
function valuesOf(subfields: string[]): Map<string, string> {
  const values = new Map<string, string>()
  let [key, isFull] = ['', false]
  for (const content of subfields) {
    const begun = KEY.exec(content)?.[1]
    if (begun) key = begun
    const piece = begun ? content.slice(begun.length + 1) : content
    const before = values.get(key)
    values.set(key, before === undefined ? piece : isFull ? before + piece : `${before.trimEnd()} ${piece}`)
    isFull = content.length >= SUBFIELD
  }
  return values
}

/** Field 86 of German banks: a business transaction code and numbered subfields. */
function german(text: string, gvc: string, separator: string): Information {
  const subfields: { number: number; content: string }[] = []
  for (const piece of text.split(separator)) {
    if (/^\d\d/.test(piece)) subfields.push({ number: Number(piece.slice(0, 2)), content: piece.slice(2) })
    else if (subfields.length) subfields.at(-1)!.content += separator + piece
  }
  const contents = (from: number, to: number) =>
    subfields.filter(({ number }) => number >= from && number <= to).map(({ content }) => content)
  const values = valuesOf([...contents(20, 29), ...contents(60, 63)])
  const purpose = values.get('SVWZ') ?? values.get('')
  const name = valuesOf(contents(32, 33)).get('')?.trim()
  const account = (contents(31, 31)[0] ?? values.get('IBAN') ?? '').replace(/\s/g, '').toUpperCase()
  const reference = values.get('EREF')?.split('MTLG:', 1)[0]?.replaceAll(' ', '')
  const isReturn = isReturnGvc(gvc)
  const original = amountOf(/^[A-Z]{0,3}([\d.,]{1,20})/.exec(values.get('OAMT')?.trim() ?? '')?.[1] ?? '')
  const extension = contents(34, 34)[0]?.trim()
  return {
    isReturn,
    reason:
      /RETURN\/REFUND[^A-Z0-9]{0,5}([A-Z]{2}\d\d)\b/.exec(purpose ?? '')?.[1] ??
      (isReturn && /^9\d\d$/.test(extension ?? '') ? extension : undefined),
    ...(original ? { original } : {}),
    counterparty_name: cut(name),
    counterparty_iban: cut(account),
    remittance: remittanceOf([purpose?.trim() || contents(0, 0)[0]?.trim()]),
    end_to_end_id: referenceOf(reference),
  }
}

const SLASHED = /\/(TRTP|IBAN|BIC|NAME|REMI|EREF|MARF|CSID|CNTP|ORDP|BENM|ISDT|RTRN|PREF|PURP|ULTD|ULTC|ADDR|SVCL|OCMT|CHGS|ID)\//

/** Field 86 with keys between slashes, as Dutch banks write it: ABN AMRO, ING, Rabobank. */
function keyed(text: string): Information {
  const [, ...parts] = text.split(SLASHED)
  const values = new Map<string, string>()
  for (let n = 0; n + 1 < parts.length; n += 2) {
    const value = withoutOuterSlashes(parts[n + 1]!).trim()
    if (value && !values.has(parts[n]!)) values.set(parts[n]!, value)
  }
  // ING: account, bank, name and city.
  const [account, , name] = (values.get('CNTP') ?? '').split('/')
  const iban = (values.get('IBAN') ?? account ?? '').replace(/\s/g, '').toUpperCase()
  const remittance = values.get('REMI')
  const structured = /^STRD\/[A-Z]{3}\/([A-Z0-9]{1,35})$/.exec(remittance ?? '')?.[1]
  return {
    isReturn: values.has('RTRN'),
    reason: values.get('RTRN')?.split('/')[0],
    counterparty_name: cut((values.get('NAME') ?? name)?.trim()),
    counterparty_iban: isIban(iban) || /^\d{1,20}$/.test(iban) ? iban : null,
    remittance: remittanceOf([structured ?? remittance?.replace(/^USTD\/\//, '') ?? values.get('TRTP')]),
    creditor_reference: referenceOf(structured),
    end_to_end_id: referenceOf(values.get('EREF')?.split('//')[0]),
  }
}

function withoutOuterSlashes(text: string): string {
  let [from, to] = [0, text.length]
  while (text[from] === '/') from++
  while (to > from && text[to - 1] === '/') to--
  return text.slice(from, to)
}
