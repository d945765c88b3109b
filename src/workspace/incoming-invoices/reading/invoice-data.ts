/**
 * A received invoice in the terms of EN 16931, independent of its syntax. Comments name its terms (BT) and groups (BG). Missing
 * values are null; amounts are numbers with no more digits than a double can distinguish.
 */
import { type Decimal, decimal, mostTold } from '#kernel/values/money.ts'
import { xsBoolean, xsDay, xsDecimal } from '#kernel/values/xml-schema-types.ts'
import type { Profile } from './profiles.ts'

export interface InvoiceData {
  syntax: 'cii' | 'ubl'
  kind: 'invoice' | 'credit_note'
  type_code: string | null // BT-3
  specification: string | null // BT-24
  /** The rules that its specification requires. */
  profile: Profile
  number: string // BT-1
  issue_date: string // BT-2
  due_date: string | null // BT-9
  delivery_date: string | null // BT-72
  period_start: string | null // BT-73
  period_end: string | null // BT-74
  currency: string // BT-5
  notes: string[] // BT-22
  buyer_reference: string | null // BT-10
  project_reference: string | null // BT-11
  contract_reference: string | null // BT-12
  order_reference: string | null // BT-13
  sales_order_reference: string | null // BT-14
  /** BG-3, numbers of the invoices that it refers to. */
  preceding_invoices: string[]
  seller: Party // BG-4
  buyer: Party // BG-7
  /** BT-59, if the payee isn't the seller. */
  payee: string | null
  payment: Payment // BG-16
  adjustments: Adjustment[] // BG-20, BG-21
  taxes: Tax[] // BG-23
  totals: Totals // BG-22
  lines: Line[] // BG-25
  /** Amounts that the seller collects for others (BG-DEX-09, BT-179), due in addition to the total. */
  third_party_payments: ThirdPartyPayment[]
  /** BG-24, names of embedded or referenced documents. */
  attachments: string[]
  /** Files in it that can be opened: those of BG-24, then those attached to the PDF. */
  attached_files: AttachedFile[]
}

interface ThirdPartyPayment {
  type: string | null
  amount: number | null
  description: string | null
}

export interface AttachedFile {
  name: string
  description: string | null
  /** As the sender declares it; never trusted. */
  media_type: string | null
}

export interface Party {
  name: string | null
  trading_name: string | null
  /** BT-29, BT-46: `0088:4012345000009`, or the number alone. */
  ids: string[]
  registration: string | null // BT-30, BT-47
  vat_id: string | null // BT-31, BT-48
  tax_number: string | null // BT-32
  /** BT-34, BT-49, with its scheme: `0088:4012345000009`. */
  einvoice_address: string | null
  street: string | null
  street_2: string | null
  postcode: string | null
  city: string | null
  region: string | null
  country: string | null
  contact_name: string | null
  phone: string | null
  email: string | null
}

interface Payment {
  means: { code: string | null; iban: string | null; account_name: string | null; bic: string | null }[]
  /** BT-83, which the payer should quote. */
  reference: string | null
  terms: string | null // BT-20
}

export interface Adjustment {
  is_charge: boolean
  amount: number | null
  reason: string | null
  category: string | null
  rate: number | null
}

interface Tax {
  category: string | null // BT-118
  rate: number | null // BT-119
  base: number | null // BT-116
  tax: number | null // BT-117
  reason: string | null // BT-120
}

interface Totals {
  lines: number | null // BT-106
  allowances: number | null // BT-107
  charges: number | null // BT-108
  net: number | null // BT-109
  tax: number | null // BT-110
  total: number // BT-112
  prepaid: number | null // BT-113
  rounding: number | null // BT-114
  due: number | null // BT-115
}

/** BT-X-8: the total of lines only includes `detail` amounts. */
export const SUBTYPES = ['detail', 'group', 'information'] as const

export interface Line {
  id: string | null // BT-126
  /** BT-X-304: the line that this one is part of. */
  parent_id: string | null
  subtype: (typeof SUBTYPES)[number]
  name: string | null // BT-153
  description: string | null // BT-154
  note: string | null // BT-127
  sku: string | null // BT-155
  buyer_sku: string | null // BT-156
  quantity: number | null // BT-129
  unit: string | null // BT-130
  price: number | null // BT-146
  /** BT-149: quantity that the price is for; null for one. */
  price_quantity: number | null
  adjustments: Adjustment[] // BG-27, BG-28
  net: number | null // BT-131
  category: string | null // BT-151
  rate: number | null // BT-152
}

export interface Problem {
  /** Name in the standard, or `syntax` for an invalid value. */
  rule: string
  /** Field of the invoice, such as `lines.0.net`. */
  field: string
  message: string
}

/** The file can't be read as an invoice; the message explains why. */
export class Unreadable extends Error {}

/** UNTDID 1001: types that reduce the amount owed. */
const CREDITS = new Set(['81', '83', '261', '262', '296', '308', '381', '396', '420', '458', '532'])
export const isCredit = (typeCode: string | null) => CREDITS.has(typeCode ?? '')

const MAX_TEXT = 5000

/** Maximum amount of a document in Atrium, in a currency with cents (`computeTotals`). */
const MAX_AMOUNT = mostTold('EUR')
const isTooLarge = (amount: Decimal) => amount.abs().gt(MAX_AMOUNT)
const TOO_LARGE = `Is more than can be held, ${MAX_AMOUNT.toFixed(2)}.`

/** Maximum digits of an amount that is checked at all. */
const MAX_DIGITS = 40
const decimalOf = (value: string | undefined) => xsDecimal(value, { totalDigits: MAX_DIGITS })

/** Parses values and collects the invalid ones. */
export class Values {
  readonly problems: Problem[] = []

  /** Returns at most 5,000 characters. */
  text(value: string | undefined): string | null {
    return value === undefined ? null : value.slice(0, MAX_TEXT).toWellFormed()
  }

  /** Returns a decimal that a double can represent; null if it is missing or invalid. */
  amount(value: string | undefined, field: string): number | null {
    if (value === undefined) return null
    const exact = decimalOf(value)
    if (exact && decimal(Number(exact.toFixed())).eq(exact) && !isTooLarge(exact)) return Number(exact.toFixed()) + 0
    const message = exact && isTooLarge(exact) ? TOO_LARGE : `Is no amount that is read: “${value.slice(0, 40)}”.`
    this.problems.push({ rule: 'syntax', field, message })
    return null
  }

  /** Returns the invoice's total. Throws an Unreadable if it is missing or too large. */
  total(value: string | undefined): number {
    const exact = decimalOf(value)
    if (exact && isTooLarge(exact)) throw new Unreadable(`Has a total (BT-112) of ${value}. ${TOO_LARGE}`)
    return needed(this.amount(value, 'totals.total'), 'total (BT-112)')
  }

  /** Returns the day of an xs:date or xs:dateTime: `2026-11-20`. */
  date(value: string | undefined, field: string): string | null {
    return value === undefined ? null : this.#day(value, xsDay(value), field)
  }

  /** Returns the day of a udt:DateTimeString in CII: `20261120`, followed by the time in the formats 203 and 204. */
  compactDate(value: string | undefined, field: string): string | null {
    if (value === undefined) return null
    const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})(?:\d{4}|\d{6})?$/.exec(value) ?? []
    return this.#day(value, xsDay(year ? `${year}-${month}-${day}` : value), field)
  }

  /** Returns an xs:boolean; false if it is missing or invalid. */
  flag(value: string | undefined, field: string): boolean {
    const flag = value === undefined ? false : xsBoolean(value)
    if (flag === undefined)
      this.problems.push({ rule: 'syntax', field, message: `Is neither true nor false: “${value!.slice(0, 40)}”.` })
    return flag ?? false
  }

  #day(value: string, day: string | undefined, field: string): string | null {
    if (day) return day
    this.problems.push({ rule: 'syntax', field, message: `Is no date: “${value.slice(0, 40)}”.` })
    return null
  }
}

/** Returns a required value. Throws an Unreadable with the name of the missing part. */
export function needed<T>(value: T | null, what: string): T {
  if (value === null) throw new Unreadable(`Has no ${what} that can be read.`)
  return value
}
