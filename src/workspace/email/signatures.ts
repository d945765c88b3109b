/** Signatures: visible to their own user only (EML-39, EML-40), for all of the user's accounts or for one. */
import { type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { lookupRoutes } from '#kernel/http/lookup-routes.ts'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { computed, view } from '#kernel/records/view.ts'
import { hardStamps, optionalText, text, wholeNumber } from '#kernel/values/fields.ts'
import { harmlessHtml } from './messages/display.ts'

const CreateSignature = z.object({
  name: text(255),
  body_html: optionalText(100_000, 'html').meta({
    description: 'The signature as HTML; null: none.',
    examples: ['<p>Ann Ash<br>Nordwind GmbH</p>'],
  }),
  body_text: optionalText(100_000).meta({
    description: 'The signature as plain text; null: none.',
    examples: ['Ann Ash, Nordwind GmbH'],
  }),
  account_uuid: z
    .uuid('Must be the uuid of an account.')
    .meta({ 'x-refers-to': 'email_account' })
    .nullish()
    .describe('Uuid of the mailbox that it is for; null: all.'),
  is_default: z.boolean().describe('Whether new messages get it.').default(false),
  sort_order: wholeNumber(0, 1_000_000).default(0),
})
type Body = Partial<z.output<typeof CreateSignature>>

const Signature = view('email_signatures', 'EmailSignature', {
  uuid: z.string(),
  name: z.string(),
  body_html: z
    .string()
    .nullable()
    .meta({ description: 'The signature as HTML; null: none.', examples: ['<p>Ann Ash<br>Nordwind GmbH</p>'] }),
  body_text: z
    .string()
    .nullable()
    .meta({ description: 'The signature as plain text; null: none.', examples: ['Ann Ash, Nordwind GmbH'] }),
  account_uuid: computed(
    z.string().nullable(),
    ({ ctx, table }) => sql`(
      select a.uuid from email_accounts a
      where a.tenant_id = ${ctx.tenant.id} and a.id = ${sql.ref(`${table}.account_id`)} and a.removed_at is null)`,
    ['account_id'],
  ).describe('Uuid of the mailbox that it is for; null: all.'),
  is_default: z.boolean(),
  sort_order: z.int(),
  ...hardStamps,
})

const signatures = lookupTable({
  table: 'email_signatures',
  noun: 'signature',
  item: Signature,
  key: 'uuid',
  scope: (ctx) => sql<SqlBool>`email_signatures.user_id = ${ctx.actor.id}`,
})

const signatureList = listing(signatures, {
  order: { by: ['sort_order', 'name'] },
  hardDeleted: true,
})

async function createSignature(ctx: Ctx, body: Body) {
  if (body.is_default) await lockDefaults(ctx)
  const columns = await columnsOf(ctx, body)
  const signature = await signatures.insert(ctx, { ...columns, user_id: ctx.actor.id! } as never)
  if (body.is_default) await onlyDefault(ctx, signature)
  return signature
}

async function updateSignature(ctx: Ctx, signature: Row<'email_signatures'>, body: Body) {
  if (body.is_default ?? signature.is_default) await lockDefaults(ctx)
  const saved = await signatures.save(ctx, signature, await columnsOf(ctx, body))
  if (saved.is_default) await onlyDefault(ctx, saved)
}

async function columnsOf(ctx: Ctx, { account_uuid, body_html, ...rest }: Body) {
  return {
    ...rest,
    ...(body_html === undefined
      ? {}
      : { body_html: body_html === null ? null : harmlessHtml({ html: body_html, images: 'load' }) }),
    ...(account_uuid === undefined ? {} : { account_id: account_uuid === null ? null : await accountId(ctx, account_uuid) }),
  }
}

async function accountId(ctx: Ctx, uuid: string) {
  const account = await ctx
    .from('email_accounts')
    .select('id')
    .where('user_id', '=', ctx.actor.id)
    .where('uuid', '=', uuid)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  if (!account) throw invalid({ account_uuid: 'There is no such account of yours.' })
  return account.id
}

/** Lock: if two signatures become the default at once, the second transaction sees the first. */
const lockDefaults = (ctx: Ctx) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`default signatures ${ctx.actor.id}`}, ${ctx.tenant.id}))`.execute(ctx.tx)

/** Keeps one default per account, and one for all accounts. */
const onlyDefault = (ctx: Ctx, { id, account_id }: { id: number; account_id: number | null }) =>
  sql`
    update email_signatures set is_default = false, updated_at = ${ctx.now}, revision = revision + 1
    where tenant_id = ${ctx.tenant.id} and user_id = ${ctx.actor.id} and id <> ${id} and is_default
      and account_id is not distinct from ${account_id}::bigint`.execute(ctx.tx)

const manage = 'email.signatures.manage'

export const signatureRoutes = lookupRoutes(signatures, '/signatures', {
  list: signatureList,
  body: CreateSignature,
  allow: { view: 'email.view', create: manage, update: manage, delete: manage },
  create: createSignature,
  update: updateSignature,
})
