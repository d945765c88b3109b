/** Transfers to the workspace's account: what payers are told, as text, as a creditor reference, and as a code that banking apps read. */
import { mod97, writtenIban } from '#kernel/values/iban.ts'
import { decimal, withCurrency } from '#kernel/values/money.ts'
import type { TransferBlock } from '#workspace/billing-documents/public.ts'
import type { Say } from '#workspace/document-texts/public.ts'
import type { Method } from './methods.ts'

/** An invoice as its payer sees it. */
interface Payable {
  number: string
  currency: string
}

/** Letters and digits of a reference behind `RF` and its two check digits (ISO 11649). */
const MAX_REFERENCE = 21

/**
 * The creditor reference of an invoice's number (ISO 11649), by which banks and bookkeepers know the payment again: `INV-00042` is
 * `RF84INV00042`. Of a long number the end counts. undefined where it has no letter or digit that a reference may have.
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
 * What a banking app reads from the code (EPC069-12, version 002, UTF-8): a transfer in EUR with its reference. undefined where the guideline
 * knows no such transfer: another currency, nothing, or a billion and more.
 */
export function epcText(method: Method, invoice: Payable, amount: string): string | undefined {
  const { account_holder, iban, bic } = method
  if (invoice.currency !== 'EUR' || decimal(amount).lt('0.01') || decimal(amount).gt('999999999.99')) return undefined
  const reference = creditorReference(invoice.number)
  const remittance = reference ? [reference] : ['', invoice.number.slice(0, 140)]
  // Each line means something by its place, so that no text may have more than one.
  const head = ['BCD', '002', '1', 'SCT', bic ?? '', account_holder!.replace(/\s+/g, ' '), iban!]
  return [...head, `EUR${decimal(amount).toFixed(2)}`, '', ...remittance].join('\n')
}

/** What a document or page says about a transfer of an amount; `written` is the amount as its readers have it. */
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
