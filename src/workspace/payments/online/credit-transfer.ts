/** Bank transfers to the workspace's account: instructions as text, creditor reference, and code for banking apps. */
import { mod97, writtenIban } from '#kernel/values/iban.ts'
import { decimal, withCurrency } from '#kernel/values/money.ts'
import type { TransferBlock } from '#workspace/billing-documents/public.ts'
import type { Say } from '#workspace/document-texts/public.ts'
import type { Method } from './methods.ts'

/** Columns of an invoice for its payer. */
interface Payable {
  number: string
  currency: string
}

/** Maximum length of a reference after `RF` and its two check digits (ISO 11649). */
const MAX_REFERENCE = 21

/**
 * Returns the creditor reference of an invoice number (ISO 11649), by which banks and bookkeepers recognise the payment:
 * `INV-00042` becomes `RF84INV00042`. A long number is cut at its start. Undefined where it has no letter or digit that a
 * reference may contain.
 */
export function creditorReference(number: string): string | undefined {
  const core = number
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(-MAX_REFERENCE)
  if (!core) return undefined
  return `RF${String(98 - mod97(`${core}RF00`)).padStart(2, '0')}${core}`
}

/**
 * Returns the payload of the code for banking apps (EPC069-12, version 002, UTF-8): a transfer in EUR with its reference.
 * Undefined for transfers outside the guideline: other currencies, less than 0.01, or 1,000,000,000 and above.
 */
export function epcText(method: Method, invoice: Payable, amount: string): string | undefined {
  const { account_holder, iban, bic } = method
  if (invoice.currency !== 'EUR' || decimal(amount).lt('0.01') || decimal(amount).gt('999999999.99')) return undefined
  const reference = creditorReference(invoice.number)
  const remittance = reference ? [reference] : ['', invoice.number.slice(0, 140)]
  // Fields are positional, one a line: a value must not contain line breaks.
  const head = ['BCD', '002', '1', 'SCT', bic ?? '', account_holder!.replace(/\s+/g, ' '), iban!]
  return [...head, `EUR${decimal(amount).toFixed(2)}`, '', ...remittance].join('\n')
}

/** Returns the transfer instructions of a document or page; `written` is the formatted amount. */
export function transferBlock(say: Say, method: Method, invoice: Payable, amount: string, written: string): TransferBlock {
  const epc = epcText(method, invoice, amount)
  const reference = creditorReference(invoice.number)?.replace(/(.{4})(?=.)/g, '$1 ') ?? invoice.number
  const lines = [
    { label: say('account_holder'), value: method.account_holder! },
    { label: say('iban'), value: writtenIban(method.iban!) },
    { label: say('bic'), value: method.bic ?? '' },
    { label: say('reference'), value: reference },
    { label: say('amount'), value: withCurrency(written, invoice.currency, say.locale) },
  ]
  return {
    title: say('pay_by_transfer'),
    ...(epc ? { note: say('scan_or_transfer'), epc } : {}),
    lines: lines.filter(({ value }) => value),
  }
}
