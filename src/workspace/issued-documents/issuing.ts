/**
 * Issues documents: their content is frozen in the transaction that sends, issues or posts them (decision 0020). From then on
 * they are rendered, shown and mailed from it, whatever changes in customers, products and settings.
 */
import { createHash } from 'node:crypto'
import type { Ctx } from '#kernel/context.ts'
import { insertAll } from '#kernel/records/many-rows.ts'
import type { Resource } from '#kernel/records/resource.ts'
import type { Paper } from '#workspace/billing-documents/public.ts'
import type { Written } from '#workspace/document-texts/public.ts'
import type { FrozenData, IssuedData, Parties } from '#workspace/e-invoices/public.ts'
import { drawIssued } from './drawing.ts'
import { issuedPaper, issuedPapers } from './frozen.ts'
import { keepLogoInUse } from './logo.ts'

/** A kind of document that is issued. Its module provides the content. */
export interface Issuable<P extends Paper = Paper> {
  of: Resource
  /** Returns the current print models of documents by id. */
  papers(ctx: Ctx, ids: number[]): Promise<Map<number, P>>
  /** Returns the data to freeze, if such documents become e-invoices. */
  asData?(ctx: Ctx, ids: number[], written: ReadonlyMap<number, Written>): Promise<Map<number, IssuedData>>
}

/** Freezes documents that have just been issued, and queues the rendering of their PDFs. */
export async function issue(ctx: Ctx, issuable: Issuable, ids: number[]) {
  if (!ids.length) return
  await freeze(
    ctx,
    issuable,
    ids.map((id) => ({ id, at: ctx.now })),
  )
  await ctx.services.queue.send(ctx, drawIssued, { table: issuable.of.table, ids })
}

/** Freezes any number of documents in a few statements; each was issued `at` an instant. */
export async function freeze(ctx: Ctx, { of, papers, asData }: Issuable, issued: { id: number; at: string }[]) {
  await keepLogoInUse(ctx)
  const ids = issued.map(({ id }) => id)
  const made = await papers(ctx, ids)
  const data = await asData?.(ctx, ids, made)
  const rows = issued.map(({ id, at }) => {
    const { printed, logo, languages, locale, timezone, shown = null } = made.get(id)! as Paper & { shown?: unknown }
    return {
      subject_type: of.table,
      subject_id: id,
      issued_at: at,
      languages,
      locale,
      timezone,
      logo_key: logo,
      printed,
      shown,
      ...(asData ? columnsOf(data?.get(id)) : {}),
    }
  })
  await insertAll(ctx, 'issued_documents', rows as never[])
}

const columnsOf = ({ parties, xml }: Partial<IssuedData> = {}) => ({
  parties: parties ?? null,
  xml: xml ?? null,
  xml_sha256: xml ? `\\x${createHash('sha256').update(xml).digest('hex')}` : null,
})

/** Returns the print models of documents: as issued, or the current ones of those not issued. */
export async function papersOf<P extends Paper>(ctx: Ctx, { of, papers }: Issuable<P>, ids: number[]): Promise<Map<number, P>> {
  const issued = await issuedPapers<P>(ctx, of.table, ids)
  const others = ids.filter((id) => !issued.has(id))
  const made = others.length ? await papers(ctx, others) : []
  return new Map([...[...issued].map(([id, { paper }]): [number, P] => [id, paper]), ...made])
}

/** Returns the print model of one document. */
export const paperOf = async <P extends Paper>(ctx: Ctx, issuable: Issuable<P>, id: number): Promise<P> =>
  (await papersOf(ctx, issuable, [id])).get(id)!

/** Changes the printed content of an issued document that is corrected by its own rules. Its first PDF stays. */
export async function correct(ctx: Ctx, issuable: Issuable, id: number, corrected: Partial<Paper['printed']>) {
  const issued = await issuedPaper(ctx, issuable.of.table, id)
  if (!issued) return
  await ctx
    .update('issued_documents')
    .set({ printed: JSON.stringify({ ...issued.paper.printed, ...corrected }) })
    .where('subject_type', '=', issuable.of.table)
    .where('subject_id', '=', id)
    .execute()
}

/** Returns the frozen data of a document, and the hashes of its issued files; undefined if it isn't issued. */
export async function frozenData(ctx: Ctx, table: string, id: number): Promise<FrozenData | undefined> {
  const row = await ctx
    .from('issued_documents')
    .select(['parties', 'issued_at', 'pdf_sha256', 'xml_sha256'])
    .where('subject_type', '=', table)
    .where('subject_id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const { issued_at, pdf_sha256, xml_sha256 } = row
  const parties = (row.parties ?? undefined) as Parties | undefined
  return { parties, issued_at, sha256: pdf_sha256?.toString('hex') ?? null, xml_sha256: xml_sha256?.toString('hex') ?? null }
}
