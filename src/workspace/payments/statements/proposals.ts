/**
 * Proposes invoices that a transaction pays. Certain: invoices identified by number or creditor reference whose balances add up
 * to exactly the amount. All others are suggestions. Only invoices that the actor may see are returned.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import { joinById } from '#kernel/records/embed.ts'
import type { Row } from '#kernel/records/resource.ts'
import { mod97 } from '#kernel/values/iban.ts'
import { decimal } from '#kernel/values/money.ts'
import type { Proposed, Reason } from './schema.ts'

export type Transaction = Row<'bank_transactions'>

interface Open {
  id: number
  number: string
  number_key: string
  title: string
  currency: string
  balance_due: string
  contact_id: number | null
  company_id: number | null
  company: string | null
  contact: string | null
}

export interface Found {
  /** Their balances add up to the amount. */
  certain: Proposed[]
  suggested: Proposed[]
}

const MAX_SUGGESTED = 5
/** Maximum number of unpaid invoices read because of an equal amount. */
const MAX_ALIKE = 50

/** Returns the proposals by transaction id. */
export async function proposalsFor(ctx: Ctx, transactions: Transaction[]): Promise<Map<number, Found>> {
  const incoming = transactions.filter(({ amount }) => decimal(amount).gt(0))
  const named = new Map(incoming.map((one) => [one.id, namesIn(one)]))
  const keys = new Set([...named.values()].flatMap(({ numbers, references }) => [...numbers, ...references]))
  const invoices = await openInvoices(
    ctx,
    [...keys],
    incoming.map(({ amount }) => decimal(amount).toFixed()),
  )
  const payers = await knownPayers(ctx, incoming)
  const found = incoming.map((one): [number, Found] => [one.id, judge(one, named.get(one.id)!, invoices, payers)])
  return new Map([...transactions.map(({ id }): [number, Found] => [id, { certain: [], suggested: [] }]), ...found])
}

/** Returns unpaid invoices with one of the keys, or with a balance that equals one of the amounts. */
async function openInvoices(ctx: Ctx, keys: string[], amounts: string[]): Promise<Open[]> {
  const subject = subjectOf(ctx, 'invoice')
  if (!subject || !amounts.length) return []
  // One lookup per value: a prepared plan for all values would read every invoice.
  const read = async (column: 'number_key' | 'balance_key', values: string[]) => {
    const { rows } = await sql<Open>`
      select i.id, i.number, i.number_key, i.title, i.currency, i.balance_due, i.contact_id, i.company_id, c.name as company, p.name as contact
      from unnest(${[...new Set(values)]}::text[]) as sought (value) cross join lateral (
        select * from invoices i
        where i.tenant_id = ${ctx.tenant.id} and i.status = 'unpaid' and i.deleted_at is null and ${sql.ref(`i.${column}`)} = sought.value
          and ${subject.visible(ctx, 'i') ?? sql`true`}
        order by i.id limit ${MAX_ALIKE}) i
      ${joinById(ctx, 'companies', 'c', 'i.company_id')} ${joinById(ctx, 'contacts', 'p', 'i.contact_id')}
      where i.balance_due > 0`.execute(ctx.tx)
    return rows
  }
  const [byNumber, byAmount] = [await read('number_key', keys), await read('balance_key', amounts)]
  return [...new Map([...byNumber, ...byAmount].map((one) => [one.id, one])).values()]
}

/** Returns account holders known from earlier matches: contacts and companies by IBAN. */
async function knownPayers(ctx: Ctx, transactions: Transaction[]): Promise<Map<string, Set<string>>> {
  const ibans = [...new Set(transactions.flatMap(({ counterparty_iban }) => counterparty_iban ?? []))]
  if (!ibans.length) return new Map()
  const { rows } = await sql<{ counterparty_iban: string; contact_id: number | null; company_id: number | null }>`
    select distinct t.counterparty_iban, p.contact_id, p.company_id
    from bank_transactions t join payments p on p.tenant_id = ${ctx.tenant.id} and p.id = t.payment_id and p.status = 'posted'
    where t.tenant_id = ${ctx.tenant.id} and t.payment_id is not null and t.counterparty_iban = any(${ibans}::text[])
    limit 2000`.execute(ctx.tx)
  const known = new Map<string, Set<string>>()
  for (const { counterparty_iban, ...customer } of rows)
    for (const key of customersOf(customer)) known.getOrInsertComputed(counterparty_iban, () => new Set()).add(key)
  return known
}

const customersOf = ({ contact_id, company_id }: { contact_id: number | null; company_id: number | null }) => [
  ...(contact_id === null ? [] : [`contact ${contact_id}`]),
  ...(company_id === null ? [] : [`company ${company_id}`]),
]

const WEIGHTS: Record<Reason, number> = { reference: 4, number: 3, amount: 2, account: 2, name: 1 }

function judge(transaction: Transaction, names: Names, invoices: Open[], payers: Map<string, Set<string>>): Found {
  const known = payers.get(transaction.counterparty_iban ?? '')
  const rated = invoices
    .filter(({ currency }) => currency === transaction.currency)
    .map((invoice) => {
      const { number_key, balance_due, company, contact } = invoice
      const is: Record<Reason, boolean> = {
        reference: names.references.has(number_key),
        number: names.numbers.has(number_key),
        amount: decimal(balance_due).eq(transaction.amount),
        account: customersOf(invoice).some((customer) => known?.has(customer)),
        name: [company, contact].some((name) => isSameName(name, transaction.counterparty_name)),
      }
      const reasons = (Object.keys(WEIGHTS) as Reason[]).filter((reason) => is[reason])
      return { invoice, reasons, weight: reasons.reduce((sum, reason) => sum + WEIGHTS[reason], 0) }
    })
  const isNamed = ({ reasons }: { reasons: Reason[] }) => reasons.includes('reference') || reasons.includes('number')
  const named = rated.filter(isNamed)
  const sum = named.reduce((total, { invoice }) => total.plus(invoice.balance_due), decimal(0))
  const isCertain = named.length > 0 && !transaction.is_reversal && sum.eq(transaction.amount)
  if (isCertain) return { certain: named.map((one) => proposed(one, one.invoice.balance_due)), suggested: [] }
  let rest = decimal(transaction.amount)
  const suggested = rated
    .filter(({ reasons }) => reasons.length > 0)
    .sort((a, b) => b.weight - a.weight || a.invoice.id - b.invoice.id)
    .slice(0, MAX_SUGGESTED)
    .map((one) => {
      const most = decimal(one.invoice.balance_due)
      const left = isNamed(one) ? rest : decimal(transaction.amount)
      const amount = most.lt(left) ? most : left
      if (isNamed(one)) rest = rest.minus(amount)
      return proposed(one, amount.toFixed())
    })
  return { certain: [], suggested: suggested.filter(({ amount }) => decimal(amount).gt(0)) }
}

const proposed = ({ invoice, reasons }: { invoice: Open; reasons: Reason[] }, amount: string): Proposed => ({
  invoice_id: invoice.id,
  number: invoice.number,
  title: invoice.title,
  customer: invoice.company ?? invoice.contact,
  balance_due: Number(invoice.balance_due),
  amount: Number(amount),
  reasons,
})

interface Names {
  /** Letters and digits of possible invoice numbers. */
  numbers: Set<string>
  /** Letters and digits of creditor references with valid check digits. */
  references: Set<string>
}

const MAX_WORDS = 200
/** Maximum number of words that form a number or a reference: banks break lines, payers insert spaces. */
const WORDS_OF_NUMBER = 4
const WORDS_OF_REFERENCE = 7

/** Extracts possible invoice numbers and creditor references from a transaction's texts. */
export function namesIn({
  remittance,
  creditor_reference,
  end_to_end_id,
}: Pick<Transaction, 'remittance' | 'creditor_reference' | 'end_to_end_id'>): Names {
  const text = [creditor_reference, remittance, end_to_end_id].filter(Boolean).join(' ').toUpperCase()
  const words = (text.match(/[A-Z0-9]+/g) ?? []).slice(0, MAX_WORDS)
  const [numbers, references] = [new Set<string>(), new Set<string>()]
  for (let start = 0; start < words.length; start++) {
    let joined = ''
    for (let n = 0; n < WORDS_OF_REFERENCE && start + n < words.length; n++) {
      joined += words[start + n]
      if (joined.length > 25) break
      const [, digits, core] = /^RF(\d\d)([A-Z0-9]{1,21})$/.exec(joined) ?? []
      if (core && mod97(`${core}RF${digits}`) === 1) references.add(core)
      if (n < WORDS_OF_NUMBER && joined.length >= 3 && /\d/.test(joined)) numbers.add(joined)
    }
  }
  return { numbers, references }
}

const plain = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Compares names without case, accents and punctuation; banks cut long names. */
function isSameName(ours: string | null, theirs: string | null): boolean {
  if (!ours || !theirs) return false
  const [a, b] = [plain(ours), plain(theirs)]
  const shorter = Math.min(a.length, b.length)
  return a === b || (shorter >= 8 && (a.startsWith(b) || b.startsWith(a)))
}
