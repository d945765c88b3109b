/** Kinds of document that become e-invoices: their modules say what they hold, the rest follows. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import type { RecordTable, Resource, Row } from '#kernel/records/resource.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { minorUnits } from '#kernel/values/money.ts'
import { documentWords, type Written } from '#workspace/document-texts/public.ts'
import { buyersOf } from './buyers.ts'
import { type Problem, problemsOf } from './check.ts'
import { cii } from './cii.ts'
import { asksSupplyDate } from './particulars.ts'
import { FORMATS, type Format } from './profiles.ts'
import { type Account, sellerOf } from './sellers.ts'
import { type Billed, type Parties, semanticsOf } from './semantics.ts'
import { ubl } from './ubl.ts'
import { wordsIn } from './words.ts'

/** A document, and whom it is for. */
export interface Named extends Billed {
  id: number
  contact_id: number | null
  company_id: number | null
}

/** A kind of document that becomes an e-invoice. */
export interface EInvoiced<T extends RecordTable = any> {
  of: Resource<T>
  kind: 'invoice' | 'credit note'
  /** As they stand, by their ids. */
  read(ctx: Ctx, ids: number[]): Promise<Named[]>
  /** What was frozen of an issued one; undefined of one that wasn't issued. */
  frozen(ctx: Ctx, id: number): Promise<FrozenData | undefined>
  /** The account that such documents print, in place of that of the settings; undefined: they print none. */
  account?(ctx: Ctx): Promise<Account | undefined>
  /** By which reference they ask for it to be paid, by their number. Default: that number. */
  reference?(number: string): string | undefined
}

/** What is kept of an issued document, beside what is printed of it. */
export interface FrozenData {
  /** undefined where it was issued before there were e-invoices. */
  parties: Parties | undefined
  issued_at: string
  /** Of its PDF as first issued; null until that is drawn. */
  sha256: string | null
  /** Of the e-invoice inside that PDF; null: there is none in it. */
  xml_sha256: string | null
}

/** Sellers and buyers of documents as they are now: a function of each. */
async function partiesOf(ctx: Ctx, kind: EInvoiced, documents: Pick<Named, 'contact_id' | 'company_id'>[]) {
  const [settings, account, buyerOf] = await Promise.all([sellerOf(ctx), kind.account?.(ctx), buyersOf(ctx, documents)])
  const seller = account ? { ...settings, ...account, bic: account.bic ?? '' } : settings
  const supply = asksSupplyDate(seller.country) ? { states_supply_date: true as const } : {}
  return (document: Pick<Named, 'contact_id' | 'company_id'>): Parties => ({
    seller,
    buyer: buyerOf(document) ?? null,
    ...supply,
  })
}

interface Made {
  problems: Problem[]
  xml(): string
}

/** What a format makes of a document. 422 on `format` for a currency with more than two decimals, which EN 16931 has no room for. */
export function eInvoiceOf(ctx: Ctx, { kind, reference }: EInvoiced, { document, parties }: Read, format: Format): Made {
  if (!isWritable(document)) throw invalid({ format: tooFine(document.currency) })
  const asked = parties.seller.account_holder ? reference?.(document.number) : undefined
  const invoice = semanticsOf(document, kind, parties, ctx.today(), asked)
  const { syntax, profile } = FORMATS[format]
  return {
    problems: problemsOf(document, invoice, profile, parties.buyer?.field),
    xml: () => (syntax === 'cii' ? cii(invoice, profile) : ubl(invoice, profile)),
  }
}

interface Read {
  document: Billed
  parties: Parties
}

const isWritable = ({ currency }: Pick<Billed, 'currency'>) => minorUnits(currency) <= 2
const tooFine = (currency: string) => `E-invoices have amounts of at most two decimals; ${currency} has ${minorUnits(currency)}.`

/** A stored document with who sells and who buys: an issued one in one trip to the database, another in two. */
export async function readBilled(kind: EInvoiced, ctx: Ctx, id: number): Promise<Read & { frozen: FrozenData | undefined }> {
  const [[document], frozen] = await Promise.all([kind.read(ctx, [id]), kind.frozen(ctx, id)])
  if (!document) throw notFound(`There is no such ${kind.of.noun}.`)
  return { document, frozen, parties: frozen?.parties ?? (await partiesOf(ctx, kind, [document]))(document) }
}

/** What a format makes of a stored document. */
export const makeEInvoice = async (kind: EInvoiced, ctx: Ctx, id: number, format: Format): Promise<Made> =>
  eInvoiceOf(ctx, kind, await readBilled(kind, ctx, id), format)

/** Messages by field, for a 422. */
export const refusal = (problems: Problem[]) =>
  invalid(Object.fromEntries(problems.toReversed().map(({ rule, field, message }) => [field, `${rule}: ${message}`])))

/**
 * What the workspace wants to happen before a document is issued that can't be an e-invoice: nothing, an entry in its timeline, or a 422 on
 * what is missing.
 */
export async function checkBeforeIssue<T extends RecordTable>(ctx: Ctx, kind: EInvoiced<T>, row: Row<T>) {
  const wanted = await ctx.setting('einvoice_on_send')
  if (wanted === 'off') return
  const { id, currency } = row as unknown as { id: number; currency: string }
  if (!isWritable({ currency })) {
    if (wanted === 'block') throw invalid({ currency: tooFine(currency) })
    return void (await logActivity(ctx, kind.of as never, id, 'e_invoice_incomplete', { reason: tooFine(currency) } as never))
  }
  const { problems } = await makeEInvoice(kind, ctx, id, 'cii')
  if (problems.length && wanted === 'block') throw refusal(problems)
  const rules = [...new Set(problems.map(({ rule }) => rule))]
  if (rules.length) await logActivity(ctx, kind.of as never, id, 'e_invoice_incomplete', { rules } as never)
}

/** The sentence of that entry. */
export const incomplete = {
  e_invoice_incomplete: ({ rules = [], reason }: { rules?: string[]; reason?: string }) =>
    `Issued without an e-invoice: ${reason ?? rules.join(', ')}`,
}

/** What is frozen of documents that are being issued, beside what is printed of them. */
export interface IssuedData {
  parties: Parties
  /** What goes out inside the PDF; none where the data don't suffice, or the workspace doesn't want it. */
  xml?: string
}

/** The same of documents by their ids; `written` says what each is written in. */
export async function dataToFreeze(
  ctx: Ctx,
  kind: EInvoiced,
  ids: number[],
  written: ReadonlyMap<number, Written>,
): Promise<Map<number, IssuedData>> {
  const wanted = (await ctx.setting('einvoice_on_send')) !== 'off'
  const documents: (Named | Customers)[] = wanted ? await kind.read(ctx, ids) : await customersOf(ctx, kind.of, ids)
  const [partiesFor, saying] = await Promise.all([partiesOf(ctx, kind, documents), documentWords(ctx)])
  return new Map(
    documents.map((document) => {
      const parties = { ...partiesFor(document), words: wordsIn(saying(written.get(document.id)!)) }
      if (!document.lines || !isWritable(document)) return [document.id, { parties }]
      const { problems, xml } = eInvoiceOf(ctx, kind, { document, parties }, 'cii')
      return [document.id, problems.length ? { parties } : { parties, xml: xml() }]
    }),
  )
}

type Customers = Pick<Named, 'id' | 'contact_id' | 'company_id'> & { lines?: undefined }

async function customersOf(ctx: Ctx, { table }: Resource<any>, ids: number[]) {
  const { rows } = await sql<Customers>`
    select id, contact_id, company_id from ${sql.table(table)} where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[])`.execute(
    ctx.tx,
  )
  return rows
}
