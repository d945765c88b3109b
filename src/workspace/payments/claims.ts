/** Validates allocations to locked invoices, for payments and credit notes. */
import { invalid } from '#kernel/errors.ts'
import { decimal, minorUnits, refuseFractions } from '#kernel/values/money.ts'

/** Columns of an invoice that validate an allocation. */
interface Payable {
  number: string
  status: string
  currency: string
  balance_due: string
}

export interface Claim {
  invoice_id: number
  amount: string
}

/**
 * Validates allocations against existing, locked invoices. 422 on `invoice_id` of an invoice that isn't unpaid. 422 on `amount`
 * in another currency, with more decimals than the currency has, or above the balance due. `field` returns the path in the
 * request: `allocations.0.amount`.
 */
export function checkClaims(
  currency: string,
  claims: Claim[],
  invoices: Map<number, Payable>,
  field: (n: number, part: keyof Claim) => string,
) {
  refuseFractions(currency, Object.fromEntries(claims.map(({ amount }, n) => [field(n, 'amount'), amount])))
  const wrong = claims.flatMap((claim, n) => {
    const [part, message] = refusal(currency, claim, invoices.get(claim.invoice_id)!) ?? []
    return part ? [[field(n, part), message!]] : []
  })
  if (wrong.length) throw invalid(Object.fromEntries(wrong))
}

function refusal(currency: string, { amount }: Claim, invoice: Payable): [keyof Claim, string] | undefined {
  const { number, status } = invoice
  if (status !== 'unpaid') return ['invoice_id', `${number} is ${status}; only unpaid invoices can be paid or credited.`]
  if (invoice.currency !== currency) return ['amount', `Is in ${currency}, and ${number} in ${invoice.currency}.`]
  const left = inFull(currency, invoice.balance_due)
  if (decimal(amount).gt(left)) return ['amount', `Must be at most what is left to pay on ${number}, ${left}.`]
}

/** Returns a stored amount with all decimals of its currency, for messages. */
export const inFull = (currency: string, amount: string | number) => decimal(amount).toFixed(minorUnits(currency))
