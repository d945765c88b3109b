/**
 * Whether two statements of an account are different statements of the bank, rather than the same one in another file, or exports of overlapping periods.
 * Each entry of a bank is in one statement of a kind: equal entries in two different ones are two entries.
 */
import { decimal } from '#kernel/values/money.ts'
import type { StatementData } from './statement-data.ts'

export type Outline = Pick<
  StatementData,
  'format' | 'reference' | 'currency' | 'sequence' | 'from_date' | 'to_date' | 'opening_balance' | 'closing_balance'
>

type Balance = string | number | null
const isSame = (a: Balance, b: Balance) => a !== null && b !== null && decimal(a).eq(b)
const differ = (a: Balance, b: Balance) => a !== null && b !== null && !decimal(a).eq(b)

/** Whether the second begins with the balance that the first moved to. */
const isFollowed = (a: Outline, b: Outline) =>
  differ(a.opening_balance, a.closing_balance) && isSame(a.closing_balance, b.opening_balance)

const hasSamePeriod = (a: Outline, b: Outline) => a.from_date === b.from_date && a.to_date === b.to_date

/** Whether periods overlap in more than the day at which one ends and the other begins. */
function overlaps(a: Outline, b: Outline): boolean {
  if (hasSamePeriod(a, b) || !a.from_date || !a.to_date || !b.from_date || !b.to_date) return false
  const contains = (one: Outline, other: Outline) => one.from_date! <= other.from_date! && one.to_date! >= other.to_date!
  return contains(a, b) || contains(b, a) || (a.from_date < b.to_date && b.from_date < a.to_date)
}

/**
 * Evidence that two statements of one account are different ones: contiguous balances; another number in periods that don't overlap; or, within one period,
 * other balances at both ends. Reports within the day (CAMT.052, MT942) are often repeated with more entries, so that only balances count. Notifications
 * (CAMT.054) and CSV files have neither. Statements of different formats may always be the same.
 */
export function isAnotherStatement(a: Outline, b: Outline): boolean {
  if (a.format !== b.format || a.currency !== b.currency) return false
  if (isFollowed(a, b) || isFollowed(b, a)) return true
  const isNumbered = a.format === 'camt.053' || (a.format === 'mt940' && a.opening_balance !== null && b.opening_balance !== null)
  if (!isNumbered || overlaps(a, b)) return false
  if (a.sequence !== null && b.sequence !== null && a.sequence !== b.sequence) return true
  if (a.format === 'camt.053' && a.reference === b.reference) return false
  return hasSamePeriod(a, b) && differ(a.opening_balance, b.opening_balance) && differ(a.closing_balance, b.closing_balance)
}
