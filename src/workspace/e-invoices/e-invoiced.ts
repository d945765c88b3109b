/** Kinds of document that become e-invoices: their modules provide the data, the rest is shared. */
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

/** A document with its customer. */
export interface Named extends Billed {
  id: number
  contact_id: number | null
  company_id: number | null
}

/** A kind of document that becomes an e-invoice. */
export interface EInvoiced<T extends RecordTable = any> {
  of: Resource<T>
  kind: 'invoice' | 'credit note'
  /** Reads documents in their current state by id. */
  read(ctx: Ctx, ids: number[]): Promise<Named[]>
  /** Returns the frozen data of an issued document; undefined if it isn't issued. */
  frozen(ctx: Ctx, id: number): Promise<FrozenData | undefined>
  /** Account printed on such documents, instead of the one in the settings; undefined if none is printed. */
  account?(ctx: Ctx): Promise<Account | undefined>
  /** Payment reference of such documents, by their number. Default: that number. */
  reference?(number: string): string | undefined
}

/** Data stored with an issued document, in addition to its printed content. */
export interface FrozenData {
  /** undefined if it was issued before e-invoices were introduced. */
  parties: Parties | undefined
  issued_at: string
  /** Hash of its PDF as first issued; null until the PDF is rendered. */
  sha256: string | null
  /** Hash of the e-invoice inside that PDF; null if there is none. */
  xml_sha256: string | null
}

/** Reads the current sellers and buyers of documents. Returns a function from a document to its parties. */
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

/**
 * Converts a document to a format. 422 on `format` for a currency with more than two decimals, which EN 16931 doesn't support.
 */
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

/** Reads a stored document with seller and buyer: an issued one in one round trip to the database, another in two. */
export async function readBilled(kind: EInvoiced, ctx: Ctx, id: number): Promise<Read & { frozen: FrozenData | undefined }> {
  const [[document], frozen] = await Promise.all([kind.read(ctx, [id]), kind.frozen(ctx, id)])
  if (!document) throw notFound(`There is no such ${kind.of.noun}.`)
  return { document, frozen, parties: frozen?.parties ?? (await partiesOf(ctx, kind, [document]))(document) }
}

/** Converts a stored document to a format. */
export const makeEInvoice = async (kind: EInvoiced, ctx: Ctx, id: number, format: Format): Promise<Made> =>
  eInvoiceOf(ctx, kind, await readBilled(kind, ctx, id), format)

/** Messages by field, for a 422. */
export const refusal = (problems: Problem[]) =>
  invalid(Object.fromEntries(problems.toReversed().map(({ rule, field, message }) => [field, `${rule}: ${message}`])))

/**
 * Applies the workspace's setting for documents that can't be e-invoices before they are issued: nothing, a timeline entry, or a
 * 422 on the missing data.
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

/** Text of the timeline entry. */
export const incomplete = {
  e_invoice_incomplete: ({ rules = [], reason }: { rules?: string[]; reason?: string }) =>
    `Issued without an e-invoice: ${reason ?? rules.join(', ')}`,
}

/** Data to freeze when documents are issued, in addition to their printed content. */
export interface IssuedData {
  parties: Parties
  /** XML to embed in the PDF; none if the data isn't sufficient, or the setting is off. */
  xml?: string
}

/** Returns the data to freeze of documents by id; `written` contains each document's languages. */
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
