/** Stored content of an issued document. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { computed } from '#kernel/records/view.ts'
import { instant } from '#kernel/values/fields.ts'
import type { Paper } from '#workspace/billing-documents/public.ts'

const IssuedDocument = z
  .object({
    issued_at: instant().describe('When it was issued.'),
    sha256: z
      .string()
      .nullable()
      .meta({ description: 'Of the PDF that `GET …/issued-document` gives; null until that is drawn.' }),
    bytes: z
      .int()
      .nullable()
      .meta({ description: 'Size of that PDF; null until it is drawn.', examples: [48213] }),
    xml_sha256: z
      .string()
      .nullable()
      .meta({ description: 'Of the e-invoice inside that PDF (`factur-x.xml`); null: there is none in it.' }),
  })
  .meta({ id: 'IssuedDocument' })

/** Field of a detail view: when the document was issued, and the hash of its PDF as first issued; null before it is issued. */
export const issuedDocument = () =>
  computed(
    IssuedDocument.nullable().describe('When it was issued, and the hash of its PDF as first issued; null before that.'),
    ({ ctx, table }) => sql`(
      select json_build_object('issued_at', app.iso(i.issued_at), 'sha256', encode(i.pdf_sha256, 'hex'), 'bytes', i.pdf_bytes,
        'xml_sha256', encode(i.xml_sha256, 'hex'))
      from issued_documents i
      where i.tenant_id = ${ctx.tenant.id} and i.subject_type = ${table} and i.subject_id = ${sql.ref(`${table}.id`)})`,
  )

interface Issued<P extends Paper> {
  paper: P
  /** Set once it is rendered. */
  pdf?: { key: string; sha256: Buffer }
}

/** Returns the frozen content of a document, and its first PDF if that is rendered; undefined if it isn't issued. */
export const issuedPaper = async <P extends Paper = Paper>(ctx: Ctx, table: string, id: number): Promise<Issued<P> | undefined> =>
  (await issuedPapers<P>(ctx, table, [id])).get(id)

/** The same for several documents of a kind; those not issued are missing. */
export async function issuedPapers<P extends Paper = Paper>(
  ctx: Ctx,
  table: string,
  ids: number[],
): Promise<Map<number, Issued<P>>> {
  const rows = await ctx
    .from('issued_documents')
    .selectAll()
    .where('subject_type', '=', table)
    .where(sql<boolean>`subject_id = any(${ids}::bigint[])`)
    .execute()
  return new Map(
    rows.map((row) => {
      const { printed, shown, logo_key, languages, locale, timezone, xml, pdf_key, pdf_sha256 } = row
      const paper = { printed, logo: logo_key, languages, locale, timezone, xml, ...(shown ? { shown } : {}) } as unknown as P
      return [row.subject_id, { paper, pdf: pdf_key === null ? undefined : { key: pdf_key, sha256: pdf_sha256! } }]
    }),
  )
}
