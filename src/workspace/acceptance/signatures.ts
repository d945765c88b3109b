/** Signatures: who accepted a document, from where, when, and its text. They are never changed. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { computed } from '#kernel/records/view.ts'
import { formatted, instant } from '#kernel/values/fields.ts'
import type { OfferPaper, Signed } from '#workspace/billing-documents/public.ts'
import { wordsOf } from '#workspace/document-texts/public.ts'
import { paperOf } from '#workspace/issued-documents/public.ts'
import type { Acceptable } from './acceptable.ts'

const Signature = z
  .object({
    type: z.enum(['typed', 'drawn']).describe('Whether the name was typed or drawn.'),
    signer_name: z.string().meta({ description: 'The name that was signed with.', examples: ['Ann Ash'] }),
    signer_email: formatted('email').meta({
      description: 'The address that was signed with.',
      examples: ['ann@nordwind.example'],
    }),
    ip: z.string(),
    user_agent: z.string(),
    signed_at: instant().describe('When it was signed.'),
    document_sha256: z.string().meta({ description: 'Of the text that `GET …/signed-document` gives.' }),
  })
  .meta({ id: 'Signature' })

/** Field of a detail view: the customer's signature, or null. */
export const signatureField = () =>
  computed(
    Signature.nullable(),
    ({ ctx, table }) => sql`(
      select json_build_object('type', s.kind, 'signer_name', s.signer_name, 'signer_email', s.signer_email, 'ip', s.ip,
        'user_agent', s.user_agent, 'signed_at', app.iso(s.signed_at), 'document_sha256', s.document_sha256)
      from customer_signatures s
      where s.tenant_id = ${ctx.tenant.id} and s.subject_type = ${table} and s.subject_id = ${sql.ref(`${table}.id`)})`,
  )

/** Returns the signature of a document; undefined if it has none. */
export const signatureOf = (ctx: Ctx, table: string, id: number) =>
  ctx.from('customer_signatures').selectAll().where('subject_type', '=', table).where('subject_id', '=', id).executeTakeFirst()

/** Returns the print model of a document, which is what its signer saw, and the signature. */
export async function signedPaper(ctx: Ctx, offered: Acceptable, id: number): Promise<{ paper: OfferPaper; signed?: Signed }> {
  const paper = await paperOf(ctx, offered, id)
  const signature = await signatureOf(ctx, offered.of.table, id)
  if (!signature) return { paper }
  const say = await wordsOf(ctx, paper)
  const block = {
    title: say('accepted_and_signed'),
    name: signature.typed ?? signature.signer_name,
    image: signature.kind === 'drawn',
    lines: [
      signature.signer_name,
      signature.signer_email,
      `${signature.signed_at.replace('T', ' ').replace(/\.\d+Z/, '')} UTC · ${signature.ip}`,
      `SHA-256 ${signature.document_sha256}`,
    ],
  }
  return { paper, signed: { block, image: signature.image_key } }
}
