/** Bank statements as the readers of all formats return them: camt, MT940, CSV. */
import { createHash } from 'node:crypto'
import { isIban, mod97 } from '#kernel/values/iban.ts'
import { decimal, isCurrency, minorUnits } from '#kernel/values/money.ts'

export const FORMATS = ['camt.053', 'camt.052', 'camt.054', 'mt940', 'csv'] as const
export type Format = (typeof FORMATS)[number]

export interface StatementData {
  format: Format
  /** The bank's name for the statement. */
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
  /** Number of entries that the bank hasn't booked yet. They come again once they are booked. */
  pending: number
}

export interface EntryData {
  /** Identifies the same transaction in another file of the same format. */
  fingerprint: string
  /** Properties that identify the transaction, without its number among those alike. */
  identity: string
  /** Position of the bank's entry in its statement. The parts of a batch have the same one. */
  entry_index: number
  /** Amount of the bank's entry, of which this may be a part. */
  entry_amount: string
  /** The bank's own reference of the entry (AcctSvcrRef); null where it has none. */
  entry_reference: string | null
  booked_on: string
  value_date: string | null
  /** Above 0: incoming; below 0: outgoing. */
  amount: string
  currency: string
  /** Charges that the bank deducted, which `amount` no longer contains. Above 0: deducted. */
  bank_charges: string | null
  is_reversal: boolean
  /** ISO 20022 code (AM04) or the bank's own one. */
  return_reason: string | null
  return_information: string | null
  counterparty_name: string | null
  counterparty_iban: string | null
  remittance: string | null
  creditor_reference: string | null
  end_to_end_id: string | null
  bank_reference: string | null
  /** The ordered amount where its currency isn't the account's. */
  instructed_amount: string | null
  instructed_currency: string | null
}

/** A file that is not read, with the reason as a sentence that begins with a verb. */
export class Unreadable extends Error {}

export const MAX_ENTRIES = 20_000
export const MAX_STATEMENTS = 1000
const MAX_REMITTANCE = 2000

/** Amounts from here on are rejected: their doubles would not tell cents apart. */
const TOO_LARGE = decimal(10).pow(13)
/** Scale of the columns that store amounts. */
const STORED_DECIMALS = 4

const isTooLarge = (amount: string) => decimal(amount).abs().gte(TOO_LARGE)

/** Whether the database stores an amount without rounding it. */
export const isStorable = (amount: string) => !isTooLarge(amount) && decimal(amount).round(STORED_DECIMALS).eq(amount)

/** The bank's charges in a returned amount: what it is more than the original one; null where that is nothing or unknown. */
export function chargesIn(amount: string, original: string | undefined): string | null {
  if (original === undefined) return null
  const charges = decimal(amount).abs().minus(original)
  return charges.gt(0) && isStorable(charges.toFixed()) ? charges.toFixed() : null
}

/** Whether an amount has no more decimals than its currency. */
export const isExactIn = (currency: string, amount: string) => decimal(amount).round(minorUnits(currency)).eq(amount)

/**
 * Ensures that the amount of an entry is one of its currency. Neither is an amount with more decimals rounded, nor is the entry left out: the statement
 * would no longer add up.
 */
export function ensureBookable(currency: string, amount: string) {
  if (!/^[A-Z]{3}$/.test(currency)) throw new Unreadable('Has an entry without a currency.')
  if (!isCurrency(currency)) throw new Unreadable(`Has an entry in ${currency}, which is no currency.`)
  if (isTooLarge(amount)) throw new Unreadable(`Has an entry over ${amount} ${currency}, which is more than can be held.`)
  if (!isExactIn(currency, amount))
    throw new Unreadable(`Has an entry over ${amount} ${currency}, which has at most ${minorUnits(currency)} decimals.`)
}

/** A text of at most 255 characters. */
export const cut = (text: string | undefined | null) => text?.slice(0, 255).toWellFormed() || null

/** Lines without repetitions, of at most 2,000 characters; null where there is none. */
export function remittanceOf(lines: (string | undefined)[]): string | null {
  const text = [...new Set(lines.filter((line) => line !== undefined && line !== ''))].join('\n')
  return text ? text.slice(0, MAX_REMITTANCE).toWellFormed() : null
}

/** Placeholders for a missing reference. */
const NO_REFERENCE = /^(NOT ?PROVIDED|NONREF|NOREF|NONE|N\/?A|0+)?$/i

/** A reference; null where the text says that there is none. */
export const referenceOf = (text: string | undefined | null) => (text && !NO_REFERENCE.test(text) ? cut(text) : null)

/**
 * The number of an account without spaces and in capitals. A German bank code with account number becomes the IBAN (a sort code table isn't needed: the
 * check digits follow from both), and an IBAN loses the currency that some banks write after it.
 */
export function accountOf(text: string): string {
  const plain = text.replace(/\s/g, '').toUpperCase()
  const [, bank, number] = /^(\d{8})\/(\d{1,10})(?:[A-Z]{3})?$/.exec(plain) ?? []
  if (bank && number) {
    const rest = bank + number.padStart(10, '0')
    return `DE${String(98 - mod97(`${rest}DE00`)).padStart(2, '0')}${rest}`
  }
  const withoutCurrency = plain.replace(/[A-Z]{3}$/, '')
  return (!isIban(plain) && isIban(withoutCurrency) ? withoutCurrency : plain).slice(0, 255)
}

/** Properties that identify a transaction within its account. */
type Identity = Pick<
  EntryData,
  | 'bank_reference'
  | 'booked_on'
  | 'amount'
  | 'currency'
  | 'end_to_end_id'
  | 'counterparty_iban'
  | 'counterparty_name'
  | 'remittance'
>

/**
 * Hash of the bank's reference and what was booked. Some banks give all parts of a batch the same reference, or use one again, so that day, amount and payer
 * belong to it. Transactions that are alike in all of that are numbered within the statement; `seen` counts them.
 */
export function fingerprint(
  account: string,
  identity: Identity,
  seen: Map<string, number>,
): Pick<EntryData, 'fingerprint' | 'identity'> {
  const { bank_reference, booked_on, amount, currency, end_to_end_id, counterparty_iban, counterparty_name, remittance } =
    identity
  const parts = [account, bank_reference, booked_on, amount, currency, end_to_end_id, counterparty_iban]
  const alike = JSON.stringify(bank_reference ? parts : [...parts, counterparty_name, remittance])
  const nth = seen.get(alike) ?? 0
  seen.set(alike, nth + 1)
  return { fingerprint: fingerprintOf(alike, nth), identity: alike }
}

/** The fingerprint of the nth transaction, from 0, with an identity. */
export const fingerprintOf = (identity: string, nth: number) => createHash('sha256').update(`${identity}${nth}`).digest('hex')

/** Statements of one file whose references differ: of those alike the second is called `225 (2)`. */
export function withDistinctReferences(statements: StatementData[]): StatementData[] {
  const seen = new Map<string, number>()
  return statements.map((one) => {
    const key = `${one.account}\n${one.reference}`
    const nth = (seen.get(key) ?? 0) + 1
    seen.set(key, nth)
    return nth === 1 ? one : { ...one, reference: `${one.reference.slice(0, 245)} (${nth})`.trim() }
  })
}

/**
 * Geschäftsvorfallcodes that take a booking back, by DFÜ-Abkommen, annex 3 (version 3.4): returned direct debits (108, 109), card debits (110) and cheques
 * (111), returned transfers (159, 160), refunds of direct debits (181, 184), card debits (182) and cheques (183). 009 and 059 were returned debits and
 * transfers before SEPA.
 */
const GVC_RETURNS = new Set(['009', '059', '108', '109', '110', '111', '159', '160', '181', '182', '183', '184'])
export const isReturnGvc = (code: string | undefined) => GVC_RETURNS.has(code ?? '')
