/** Kinds of document that become e-invoices: their modules say what they hold, the rest follows. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { RecordTable, Resource, Row } from '#kernel/records/resource.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { minorUnits } from '#kernel/values/money.ts'
import { documentWords, type Written } from '#workspace/document-texts/public.ts'
import { buyersOf } from './buyers.ts'
import { type Problem, problemsOf } from './check.ts'
import { cii } from './cii.ts'
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
  /** Those of an issued one are frozen; undefined where it was issued before there were e-invoices. */
  frozenParties(ctx: Ctx, id: number): Promise<Parties | undefined>
  /** The account that such documents print, in place of that of the settings; undefined: they print none. */
  account?(ctx: Ctx): Promise<Account | undefined>
  /** By which reference they ask for it to be paid, by their number. Default: that number. */
  reference?(number: string): string | undefined
}

/** Sellers and buyers of documents as they are now: a function of each. */
async function partiesOf(ctx: Ctx, kind: EInvoiced, documents: Pick<Named, 'contact_id' | 'company_id'>[]) {
  const [settings, account, buyerOf] = [await sellerOf(ctx), await kind.account?.(ctx), await buyersOf(ctx, documents)]
  const seller = account ? { ...settings, ...account, bic: account.bic ?? '' } : settings
  return (document: Pick<Named, 'contact_id' | 'company_id'>): Parties => ({ seller, buyer: buyerOf(document) ?? null })
}

interface Made {
  problems: Problem[]
  xml(): string
}

/** What a format makes of a document. 422 on `format` for a currency with more than two decimals, which EN 16931 has no room for. */
function eInvoiceOf(ctx: Ctx, { kind, reference }: EInvoiced, document: Billed, parties: Parties, format: Format): Made {
  if (!isWritable(document)) throw invalid({ format: tooFine(document.currency) })
  const asked = parties.seller.account_holder ? reference?.(document.number) : undefined
  const invoice = semanticsOf(document, kind, parties, ctx.today(), asked)
  const { syntax, profile } = FORMATS[format]
  return {
    problems: problemsOf(document, invoice, profile, parties.buyer?.field),
    xml: () => (syntax === 'cii' ? cii(invoice, profile) : ubl(invoice, profile)),
  }
}

const isWritable = ({ currency }: Pick<Billed, 'currency'>) => minorUnits(currency) <= 2
const tooFine = (currency: string) => `E-invoices have amounts of at most two decimals; ${currency} has ${minorUnits(currency)}.`

/** The same of a document that is stored. */
export async function makeEInvoice(kind: EInvoiced, ctx: Ctx, id: number, format: Format): Promise<Made> {
  const [document] = await kind.read(ctx, [id])
  const parties = (await kind.frozenParties(ctx, id)) ?? (await partiesOf(ctx, kind, [document!]))(document!)
  return eInvoiceOf(ctx, kind, document!, parties, format)
}

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
    return
  }
  const { problems } = await makeEInvoice(kind, ctx, id, 'cii')
  if (problems.length && wanted === 'block') throw refusal(problems)
  const rules = [...new Set(problems.map(({ rule }) => rule))]
  if (rules.length) await logActivity(ctx, kind.of as never, id, 'e_invoice_incomplete', { rules } as never)
}

/** The sentence of that entry. */
export const incomplete = {
  e_invoice_incomplete: ({ rules }: { rules: string[] }) => `Issued without an e-invoice: ${rules.join(', ')}`,
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
  const [partiesFor, saying] = [await partiesOf(ctx, kind, documents), await documentWords(ctx)]
  return new Map(
    documents.map((document) => {
      const parties = { ...partiesFor(document), words: wordsIn(saying(written.get(document.id)!)) }
      if (!document.lines || !isWritable(document)) return [document.id, { parties }]
      const { problems, xml } = eInvoiceOf(ctx, kind, document, parties, 'cii')
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
