/** Routes for a document's e-invoice and for the problems that prevent it. */
import { z } from 'zod'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import { limiter } from '#kernel/http/limits.ts'
import { type Route, workspace } from '#kernel/http/route.ts'
import type { RecordTable } from '#kernel/records/resource.ts'
import { choice, instant } from '#kernel/values/fields.ts'
import { type Addressed, assertRecipientViewable } from '#workspace/billing-documents/public.ts'
import { type EInvoiced, eInvoiceOf, type FrozenData, readBilled, refusal } from './e-invoiced.ts'
import { readParticulars } from './missing-particulars.ts'
import { PARTICULARS } from './particulars.ts'
import { FORMATS, type Format } from './profiles.ts'

const Query = z.object({
  format: choice(Object.keys(FORMATS) as [Format, ...Format[]])
    .default('cii')
    .describe(
      'cii: Cross Industry Invoice, as inside Factur-X; ubl: UBL 2.1; xrechnung: XRechnung 3.0 in UBL; peppol: Peppol BIS Billing 3.',
    ),
})

const Check = z
  .object({
    ready: z.boolean().describe('Whether the e-invoice can be made.'),
    problems: z
      .array(
        z.object({
          rule: z.string().meta({ description: 'Rule that is broken, as the standard calls it.', examples: ['BR-11'] }),
          field: z.string().meta({
            description: 'Where it is put right: a field of the document, of its customer, or a setting.',
            examples: ['company.country'],
          }),
          message: z
            .string()
            .meta({ description: 'What is missing or wrong.', examples: ['The country of the buyer is missing.'] }),
        }),
      )
      .describe('What keeps it from being made.'),
    issued: z
      .object({
        issued_at: instant().describe('When it was issued.'),
        sha256: z.string().nullable().meta({
          description: 'Of the PDF as first issued, which `GET …/issued-document` gives; null until that is drawn.',
        }),
        xml_sha256: z.string().nullable().meta({
          description: 'Of the e-invoice inside that PDF (`factur-x.xml`); null: there is none in it.',
        }),
      })
      .nullable()
      .describe(
        'Of an issued document: what it says is frozen, and changes of settings and customers don’t reach it. null: it isn’t issued yet.',
      ),
  })
  .meta({ id: 'EInvoiceCheck' })

const Particulars = z
  .object({
    country: z
      .string()
      .nullable()
      .meta({ description: 'Country of the workspace, whose law counts; null: none is set.', examples: ['DE'] }),
    sources: z.array(z.string()).meta({
      description: 'Where the law says so; none: no rules of the country are known here.',
      examples: [['§ 14 (4) UStG']],
    }),
    reviewed: z.boolean().describe('Whether somebody who advises on taxes in that country has reviewed these rules.'),
    notices: z
      .array(
        z.object({
          particular: choice([...PARTICULARS, 'seller_country']).describe('What is missing.'),
          field: z.string().meta({
            description: 'Where it is put right: a field of the document, of its customer, or a setting.',
            examples: ['company.street'],
          }),
          message: z
            .string()
            .meta({ description: 'What is missing, in words.', examples: ['The address of the customer is missing.'] }),
        }),
      )
      .describe('What the law asks for and the document lacks. It can be issued all the same.'),
  })
  .meta({ id: 'InvoiceParticulars' })

const issuedIn = ({ issued_at, sha256, xml_sha256 }: FrozenData) => ({ issued_at, sha256, xml_sha256 })

/** Final states that a draft can also reach. */
const ENDED = new Set(['cancelled', 'voided'])

/** GET /:id/e-invoice, GET /:id/e-invoice/check and GET /:id/particulars; together 120 a minute per user. */
export function eInvoiceRoutes<T extends RecordTable>(kind: EInvoiced<T>): Route[] {
  const { of } = kind
  const shared = {
    allow: of.may('view'),
    query: Query,
    limit: limiter({ name: 'e-invoices', points: 120, seconds: 60, by: 'user' }),
  } as const
  return [
    workspace.get(
      '/:id/e-invoice',
      {
        ...shared,
        file: 'application/xml',
        summary: `Show the e-invoice of the ${of.noun}`,
        description:
          'The XML of an issued document. 422 on `status` before it is issued, on `format` for currencies with three decimals, and on each field that a rule misses.',
      },
      async (ctx, { id, query: { format } }) => {
        const [row, read] = await allPipelined(of.find(ctx, id as number), readBilled(kind, ctx, id as number))
        assertRecipientViewable(ctx, row as Addressed)
        const { number, status } = row as unknown as { number: string; status: string }
        const isDraft = status === 'draft' || (ENDED.has(status) && !read.frozen?.parties)
        if (isDraft) throw invalid({ status: `Only an issued ${of.noun} is an e-invoice; ${number} was never issued.` })
        const { problems, xml } = eInvoiceOf(ctx, kind, read, format)
        if (problems.length) throw refusal(problems)
        return { name: `${number}.xml`, type: 'application/xml', content: async () => Buffer.from(xml()) }
      },
    ),
    workspace.get(
      '/:id/e-invoice/check',
      {
        ...shared,
        reply: Check,
        summary: `Check the e-invoice of the ${of.noun}`,
        description:
          'What keeps the document from being an e-invoice, by the rules of the standard; of a draft too, as if it were issued today. What was issued is frozen: `issued` names its file, and what is put right now counts for the next document.',
      },
      async (ctx, { id, query: { format } }) => {
        const [, read] = await allPipelined(of.find(ctx, id as number), readBilled(kind, ctx, id as number))
        const { problems } = eInvoiceOf(ctx, kind, read, format)
        return { ready: !problems.length, problems, issued: read.frozen ? issuedIn(read.frozen) : null }
      },
    ),
    workspace.get(
      '/:id/particulars',
      {
        allow: shared.allow,
        limit: shared.limit,
        reply: Particulars,
        summary: `Check the particulars of the ${of.noun}`,
        description:
          'What the law of the workspace’s country asks for on such a document and is missing, to look at before it is issued. Nothing is refused for it.',
      },
      async (ctx, { id }) => {
        const [, particulars] = await allPipelined(of.find(ctx, id as number), readParticulars(kind, ctx, id as number))
        return particulars
      },
    ),
  ]
}
