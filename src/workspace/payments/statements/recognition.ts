/**
 * Recognises entries that another file has brought already: a report within the day (CAMT.052), a notification (CAMT.054), MT940 and CSV overlap with the
 * statement of the same account. Two entries are the same where account, amount, currency and day are, a reference or the text agrees, and nothing
 * contradicts. Each known entry answers for one of the file, so that payments that are alike are still counted. An entry without the bank's reference is
 * another one where another statement had the known one.
 */
import { decimal } from '#kernel/values/money.ts'
import type { Transaction } from './proposals.ts'
import type { EntryData, Format } from './statement-data.ts'

export type Known = Pick<
  Transaction,
  | 'id'
  | 'bank_statement_id'
  | 'fingerprint'
  | 'status'
  | 'booked_on'
  | 'amount'
  | 'currency'
  | 'entry_index'
  | 'entry_amount'
  | 'entry_reference'
  | 'counterparty_name'
  | 'counterparty_iban'
  | 'remittance'
  | 'end_to_end_id'
  | 'bank_reference'
  | 'payment_id'
> & {
  format: Format
  /** Whether a statement has brought it that isn't the one of the file. */
  isOfAnother: boolean
}

/** The transactions of one entry of the bank. */
type Entry<T> = T[]

/** The transactions of a file by the entries that they are parts of. */
export function byEntry(entries: EntryData[]): Entry<EntryData>[] {
  return [...Map.groupBy(entries, ({ entry_index }) => entry_index).values()]
}

/** The known transactions by the entries that they are parts of. One without an entry was an entry by itself. */
function knownByEntry(known: Known[]): Entry<Known>[] {
  const keyOf = ({ bank_statement_id, entry_index, id }: Known) =>
    entry_index === null ? `transaction ${id}` : `${bank_statement_id} ${entry_index}`
  return [...Map.groupBy(known, keyOf).values()]
}

/** Known entries that are compared with one of the file. */
const MAX_COMPARED = 50

/** The known entry for each entry of a file that is the same; those that the file's own fingerprints name are left out. */
export function recognised(format: Format, fresh: Entry<EntryData>[], known: Known[]): Map<Entry<EntryData>, Entry<Known>> {
  const index = new Map<string, Entry<Known>[]>()
  for (const entry of knownByEntry(known))
    for (const { key } of evidenceOf(entry)) index.getOrInsertComputed(key, () => []).push(entry)
  const taken = new Set<Entry<Known>>()
  const found = new Map<Entry<EntryData>, Entry<Known>>()
  const sameAs = (entry: Entry<EntryData>) => {
    for (const { key, kind } of evidenceOf(entry)) {
      // By the bank's own reference an entry is the same, whatever statement had it.
      const mayBe = (one: Entry<Known>) =>
        !taken.has(one) && (kind === 'reference' || !one.some(({ isOfAnother }) => isOfAnother))
      const candidates = (index.get(key) ?? []).filter(mayBe).slice(0, MAX_COMPARED)
      const same = candidates.find((one) => isSame(entry, one, { kind, formats: [format, one[0]!.format] }))
      if (same) return same
    }
    return undefined
  }
  for (const entry of fresh) {
    const same = sameAs(entry)
    if (!same) continue
    taken.add(same)
    found.set(entry, same)
  }
  return found
}

type Compared = Pick<
  Known,
  | 'amount'
  | 'currency'
  | 'booked_on'
  | 'entry_amount'
  | 'entry_reference'
  | 'bank_reference'
  | 'end_to_end_id'
  | 'counterparty_iban'
  | 'counterparty_name'
  | 'remittance'
>

type Evidence = 'reference' | 'end to end' | 'text' | 'account'

const plain = (text: string | null) => (text ?? '').toUpperCase().replace(/[^\p{L}\p{N}]/gu, '')
/** Formats cut texts at different lengths. */
const TEXT_COMPARED = 60
const textOf = (entry: Entry<Compared>) =>
  plain(entry.map(({ remittance }) => remittance ?? '').join(' ')).slice(0, TEXT_COMPARED)

/** Properties by which an entry may be known, the strongest first, each with account, currency, day and amount. */
function evidenceOf(entry: Entry<Compared>): { kind: Evidence; key: string }[] {
  const { currency, booked_on, entry_amount, amount, entry_reference } = entry[0]!
  const single = entry.length === 1 ? entry[0] : undefined
  const text = textOf(entry)
  const values: [Evidence, string][] = [
    ['reference', plain(entry_reference)],
    ['reference', plain(single?.bank_reference ?? null)],
    ['end to end', plain(single?.end_to_end_id ?? null)],
    ['text', text.length > 3 ? text : ''],
    ['account', plain(single?.counterparty_iban ?? null)],
  ]
  const base = [currency, booked_on, decimal(entry_amount ?? amount).toFixed()]
  return values.flatMap(([kind, value]) => (value ? [{ kind, key: JSON.stringify([...base, kind, value]) }] : []))
}

const differ = (a: string | null, b: string | null) => !!a && !!b && plain(a) !== plain(b)
const overlap = (a: string, b: string) => a.includes(b) || b.includes(a)

/** Whether nothing contradicts the evidence that two entries have in common. */
function isSame(
  a: Entry<Compared>,
  b: Entry<Compared>,
  { kind, formats }: { kind: Evidence; formats: [Format, Format] },
): boolean {
  const [one, other] = [a[0]!, b[0]!]
  // A bank has one set of references in its CAMT files, and may have another one elsewhere.
  const isOneFamily = formats[0] === formats[1] || formats.every((format) => format.startsWith('camt'))
  if (isOneFamily && differ(one.entry_reference, other.entry_reference)) return false
  if (a.length !== 1 || b.length !== 1) return true
  if (differ(one.end_to_end_id, other.end_to_end_id) || differ(one.counterparty_iban, other.counterparty_iban)) return false
  // Somebody may pay the same amount twice on a day: the texts tell them apart.
  if (kind === 'account' && (formats[0] === formats[1] || !overlap(textOf(a), textOf(b)))) return false
  if (kind === 'end to end' || (one.counterparty_iban && other.counterparty_iban)) return true
  return isSameName(one.counterparty_name, other.counterparty_name)
}

const UMLAUTS: Record<string, string> = { Ä: 'AE', Ö: 'OE', Ü: 'UE', ẞ: 'SS' }

/** Whether names may be the same: banks cut them, and write Müller as Mueller or Muller. */
function isSameName(a: string | null, b: string | null): boolean {
  const spellings = (name: string | null) => {
    const letters = plain((name ?? '').normalize('NFC').replaceAll('ß', 'ẞ'))
    const written = letters.replace(/[ÄÖÜẞ]/g, (letter) => UMLAUTS[letter]!)
    return [written, plain(letters.normalize('NFKD').replace(/\p{M}/gu, ''))]
  }
  return spellings(a).some((one) => spellings(b).some((other) => overlap(one, other)))
}
