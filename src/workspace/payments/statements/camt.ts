/**
 * Reading a bank's statement in CAMT.053 (ISO 20022, bank-to-customer statement), versions 02 to 13, as banks in Europe write it. Runs in a child process.
 */
import { createHash } from 'node:crypto'
import { decimal, isCurrency, minorUnits } from '#kernel/values/money.ts'
import { all, first, readXml, textAt, trimmed, type XmlElement, XmlError } from '#kernel/values/xml-reading.ts'

export interface StatementData {
  /** As the bank calls it. */
  reference: string
  /** IBAN, or another number of the account. */
  account: string
  account_holder: string | null
  currency: string
  sequence: string | null
  from_date: string | null
  to_date: string | null
  opening_balance: string | null
  closing_balance: string | null
  entries: EntryData[]
  /** Entries that the bank hasn't booked yet; they come again once they are. */
  pending: number
}

export interface EntryData {
  /** By which the same entry is known again, whichever file it comes in. */
  fingerprint: string
  booked_on: string
  value_date: string | null
  /** Above 0 came in, below 0 went out. */
  amount: string
  currency: string
  is_reversal: boolean
  counterparty_name: string | null
  counterparty_iban: string | null
  remittance: string | null
  creditor_reference: string | null
  end_to_end_id: string | null
  bank_reference: string | null
  /** What was ordered, where it is another currency than the account's. */
  instructed_amount: string | null
  instructed_currency: string | null
}

class Unreadable extends Error {}

export type ReadStatements = { statements: StatementData[] } | { wrong: string }

const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.(?:0[2-9]|1[0-3])$/
const MAX_ENTRIES = 20_000
const MAX_STATEMENTS = 100

/** The statements of a file, or in words why they can't be read. */
export function readStatements(content: Uint8Array): ReadStatements {
  try {
    const root = readXml(content)
    if (root.name !== 'Document' || !NAMESPACE.test(root.namespace))
      throw new Unreadable(`Is ${whatIs(root)}; what is read are statements in CAMT.053 (ISO 20022).`)
    const found = all(root, 'BkToCstmrStmt/Stmt')
    if (!found.length) throw new Unreadable('Holds no statement.')
    if (found.length > MAX_STATEMENTS) throw new Unreadable(`Holds more than ${MAX_STATEMENTS} statements.`)
    const statements = found.map(statement)
    if (statements.reduce((sum, { entries }) => sum + entries.length, 0) > MAX_ENTRIES)
      throw new Unreadable(`Holds more than ${MAX_ENTRIES} entries; send it in parts.`)
    return { statements }
  } catch (error) {
    if (error instanceof Unreadable) return { wrong: error.message }
    if (error instanceof XmlError) return { wrong: `Is no XML that can be read. ${error.message}` }
    throw error
  }
}

/** Others of its family are easily taken for it. */
function whatIs({ name, namespace }: XmlElement): string {
  const kind = /:(camt\.05[24]|pain\.00\d)\./.exec(namespace)?.[1]
  const called: Record<string, string> = {
    'camt.052': ', a report within the day',
    'camt.054': ', a notification of single bookings',
  }
  return kind ? `${kind.toUpperCase()}${called[kind] ?? ''}` : `<${name.slice(0, 60)}>`
}

function statement(element: XmlElement): StatementData {
  const account = textAt(element, 'Acct/Id/IBAN') ?? textAt(element, 'Acct/Id/Othr/Id')
  if (!account) throw new Unreadable('Has a statement without an account.')
  const entries = all(element, 'Ntry')
  const currency =
    textAt(element, 'Acct/Ccy') ?? first(element, 'Bal/Amt')?.attributes.Ccy ?? first(entries[0], 'Amt')?.attributes.Ccy
  if (!currency || !/^[A-Z]{3}$/.test(currency)) throw new Unreadable('Has a statement without a currency.')
  const booked = entries.filter((entry) => statusOf(entry) === 'BOOK')
  const seen = new Map<string, number>()
  return {
    reference: cut(textAt(element, 'Id')) ?? '',
    account: cut(account.replace(/\s/g, '').toUpperCase())!,
    account_holder: cut(textAt(element, 'Acct/Ownr/Nm')),
    currency,
    sequence: cut(textAt(element, 'LglSeqNb') ?? textAt(element, 'ElctrncSeqNb')),
    from_date:
      dateOf(textAt(element, 'FrToDt/FrDtTm') ?? textAt(element, 'FrToDt/FrDt')) ??
      balanceOf(element, ['OPBD', 'PRCD'])?.date ??
      null,
    to_date:
      dateOf(textAt(element, 'FrToDt/ToDtTm') ?? textAt(element, 'FrToDt/ToDt')) ?? balanceOf(element, ['CLBD'])?.date ?? null,
    opening_balance: balanceOf(element, ['OPBD', 'PRCD'])?.amount ?? null,
    closing_balance: balanceOf(element, ['CLBD'])?.amount ?? null,
    entries: booked.flatMap((entry) => parts(entry, account, seen)),
    pending: entries.length - booked.length,
  }
}

/** A word of its own in version 02, a code within it since 04. */
const statusOf = (entry: XmlElement) => textAt(entry, 'Sts/Cd') ?? textAt(entry, 'Sts') ?? 'BOOK'

function balanceOf(element: XmlElement, codes: string[]) {
  const balances = all(element, 'Bal')
  const found = codes.flatMap((code) => balances.filter((one) => textAt(one, 'Tp/CdOrPrtry/Cd') === code))[0]
  if (!found) return undefined
  return { amount: signed(found, found), date: dateOf(textAt(found, 'Dt/Dt') ?? textAt(found, 'Dt/DtTm')) }
}

/** `Amt` of an element, below 0 for a debit. A reversal says the way that the money goes now. */
function signed(element: XmlElement, side: XmlElement): string {
  const amount = amountOf(first(element, 'Amt'))
  if (amount === undefined) throw new Unreadable('Has an amount that can’t be read.')
  return textAt(side, 'CdtDbtInd') === 'DBIT' ? decimal(amount).neg().toFixed() : amount
}

function amountOf(element: XmlElement | undefined): string | undefined {
  const text = trimmed(element)
  return text && /^\d{1,13}(\.\d{0,4})?$/.test(text) ? decimal(text.replace(/\.$/, '')).toFixed() : undefined
}

/**
 * An entry, or what it was booked of together, where the bank says what each of them was worth and it adds up; else the entry as a whole, with all that
 * was said of its parts.
 */
function parts(entry: XmlElement, account: string, seen: Map<string, number>): EntryData[] {
  const whole = signed(entry, entry)
  const currency = first(entry, 'Amt')?.attributes.Ccy ?? ''
  if (!/^[A-Z]{3}$/.test(currency)) throw new Unreadable('Has an entry without a currency.')
  if (!isCurrency(currency)) throw new Unreadable(`Has an entry in ${currency}, which is no currency.`)
  const decimals = minorUnits(currency)
  if (!decimal(whole).round(decimals).eq(whole))
    throw new Unreadable(`Has an entry over ${whole} ${currency}, which has at most ${decimals} decimals.`)
  const booked_on = dateOf(
    textAt(entry, 'BookgDt/Dt') ?? textAt(entry, 'BookgDt/DtTm') ?? textAt(entry, 'ValDt/Dt') ?? textAt(entry, 'ValDt/DtTm'),
  )
  if (!booked_on) throw new Unreadable('Has an entry without a day on which it was booked.')
  const details = all(entry, 'NtryDtls/TxDtls')
  const shared = {
    ...{ booked_on, currency },
    value_date: dateOf(textAt(entry, 'ValDt/Dt') ?? textAt(entry, 'ValDt/DtTm')),
    is_reversal: textAt(entry, 'RvslInd') === 'true',
  }
  const amounts = details.map((detail) => partAmount(detail, entry, currency))
  const isSplit = details.length > 1 && amounts.every((amount) => amount !== undefined) && addUp(amounts as string[], whole)
  const made = isSplit
    ? details.map((detail, n) => ({ ...shared, amount: amounts[n]!, ...said([detail], entry, whole) }))
    : [{ ...shared, amount: whole, ...said(details, entry, whole) }]
  return made.map((one) => ({ ...one, fingerprint: fingerprint(account, one, seen) }))
}

const addUp = (amounts: string[], whole: string) => amounts.reduce((sum, amount) => sum.plus(amount), decimal(0)).eq(whole)

function partAmount(detail: XmlElement, entry: XmlElement, currency: string): string | undefined {
  const candidates = [first(detail, 'Amt'), first(detail, 'AmtDtls/TxAmt/Amt')]
  const found = candidates.find((one) => one?.attributes.Ccy === currency)
  const amount = amountOf(found)
  if (amount === undefined) return undefined
  const side = textAt(detail, 'CdtDbtInd') ?? textAt(entry, 'CdtDbtInd')
  return side === 'DBIT' ? decimal(amount).neg().toFixed() : amount
}

/** What stands in a reference where there is none. */
const NO_REFERENCE = /^(NOT ?PROVIDED|NONREF|NOREF|NONE|N\/?A|0+)?$/i
const MAX_REMITTANCE = 2000

/** Who paid and what for: of one part, or of all of an entry that isn't split. */
function said(details: XmlElement[], entry: XmlElement, whole: string) {
  const isIncoming = !whole.startsWith('-')
  const [party, account] = isIncoming ? ['Dbtr', 'DbtrAcct'] : ['Cdtr', 'CdtrAcct']
  const only = details.length === 1 ? details[0] : undefined
  const texts = details.flatMap((detail) => [
    ...all(detail, 'RmtInf/Ustrd').map(trimmed),
    ...all(detail, 'RmtInf/Strd').flatMap((one) => [
      textAt(one, 'CdtrRefInf/Ref'),
      ...all(one, 'RfrdDocInf/Nb').map(trimmed),
      ...all(one, 'AddtlRmtInf').map(trimmed),
    ]),
  ])
  const remittance = [...new Set(texts.filter((text) => text !== undefined))].join('\n') || textAt(entry, 'AddtlNtryInf')
  const reference = (path: string) => {
    const text = textAt(only, path)
    return text && !NO_REFERENCE.test(text) ? cut(text) : null
  }
  const bank = [textAt(only, 'Refs/AcctSvcrRef'), textAt(entry, 'AcctSvcrRef'), textAt(entry, 'NtryRef')]
  const instructed = first(only, 'AmtDtls/InstdAmt/Amt')
  const isForeign = instructed && instructed.attributes.Ccy !== first(entry, 'Amt')?.attributes.Ccy
  const currency = instructed?.attributes.Ccy ?? ''
  const ordered = isForeign && /^[A-Z]{3}$/.test(currency) ? amountOf(instructed) : undefined
  return {
    counterparty_name: cut(
      textAt(only, `RltdPties/${party}/Nm`) ??
        textAt(only, `RltdPties/${party}/Pty/Nm`) ??
        textAt(only, `RltdPties/Ultmt${party}/Nm`),
    ),
    counterparty_iban: cut(
      (textAt(only, `RltdPties/${account}/Id/IBAN`) ?? textAt(only, `RltdPties/${account}/Id/Othr/Id`))
        ?.replace(/\s/g, '')
        .toUpperCase(),
    ),
    remittance: remittance ? remittance.slice(0, MAX_REMITTANCE).toWellFormed() : null,
    creditor_reference: reference('RmtInf/Strd/CdtrRefInf/Ref'),
    end_to_end_id: reference('Refs/EndToEndId'),
    bank_reference: cut(bank.find((one) => one && !NO_REFERENCE.test(one))),
    instructed_amount: ordered ?? null,
    instructed_currency: ordered ? currency : null,
  }
}

const cut = (text: string | undefined) => text?.slice(0, 255).toWellFormed() ?? null

/** The day of a date or an instant, by the bank's clock. */
function dateOf(text: string | undefined): string | null {
  const day = /^(\d{4}-\d{2}-\d{2})(?:T|Z|[+-]|$)/.exec(text ?? '')?.[1]
  const at = new Date(`${day}T00:00:00Z`)
  return day && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) ? day : null
}

/**
 * The bank's reference with what was booked; some banks give the same to all parts of a batch, or use one again, so that day, amount and payer belong to it.
 * Two that are alike in all of it are told apart by their place in the statement.
 */
function fingerprint(account: string, entry: Omit<EntryData, 'fingerprint'>, seen: Map<string, number>): string {
  const { bank_reference, booked_on, amount, currency, end_to_end_id, counterparty_iban, counterparty_name, remittance } = entry
  const parts = [account, bank_reference, booked_on, amount, currency, end_to_end_id, counterparty_iban]
  const told = bank_reference ? parts : [...parts, counterparty_name, remittance]
  const alike = JSON.stringify(told)
  const nth = seen.get(alike) ?? 0
  seen.set(alike, nth + 1)
  return createHash('sha256').update(`${alike}${nth}`).digest('hex')
}
