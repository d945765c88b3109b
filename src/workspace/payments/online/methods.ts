/**
 * Payment methods for customers: transfer to the workspace's account, or Stripe with the workspace's own keys. All are off at
 * first.
 */

import { z } from 'zod'
import type { BaseCtx, Ctx, Services } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { Credentials, Provider } from '#kernel/payment-providers/provider.ts'
import { modeOfStripeKey, stripeProvider } from '#kernel/payment-providers/stripe.ts'
import type { Row } from '#kernel/records/resource.ts'
import type { SealedColumn } from '#kernel/secrets/secrets.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { findByUuid, ownUuid } from '#kernel/tenancy/placed-uuids.ts'
import { changesOf, choice, formatted, line } from '#kernel/values/fields.ts'
import { bic, iban } from '#kernel/values/iban.ts'

export type Method = Row<'payment_methods'>
type Code = Method['code']

const isEnabled = () => z.boolean().describe('Whether customers are offered to pay in this way.')
const accountHolder = {
  description: 'Whose account it is, as the bank has it; at most 70 characters.',
  examples: ['Nordwind GmbH'],
}

export const UpdateBankTransfer = changesOf(
  z.object({
    is_enabled: isEnabled(),
    account_holder: line(70).nullish().meta(accountHolder),
    iban: iban().nullish().describe('The account’s number, with or without spaces. Its check digits are judged.'),
    bic: bic().nullish().describe('The bank’s code; within Europe it isn’t needed.'),
  }),
)

export const BankTransfer = z
  .object({
    is_enabled: isEnabled(),
    account_holder: z.string().nullable().meta(accountHolder),
    iban: z
      .string()
      .nullable()
      .meta({ description: 'The account’s number, without spaces.', examples: ['DE89370400440532013000'] }),
    bic: z
      .string()
      .nullable()
      .meta({ description: 'The bank’s code; null: not given.', examples: ['COBADEFFXXX'] }),
  })
  .meta({ id: 'BankTransferMethod' })

const secret = (pattern: RegExp, message: string) => z.string().trim().max(255).regex(pattern, message).nullish()
const allowPartial = () => z.boolean().describe('Whether a customer may pay less than is left to pay.')

export const UpdateStripe = changesOf(
  z.object({
    is_enabled: isEnabled(),
    secret_key: secret(/^[sr]k_(test|live)_\w+$/, 'Must be a secret or restricted key of Stripe: sk_live_… or rk_live_….').meta({
      description: 'Secret or restricted key of the workspace’s own account. Kept encrypted, never told again; null removes it.',
      examples: ['rk_test_51PabcD'],
    }),
    webhook_secret: secret(/^whsec_\w+$/, 'Must be the signing secret of a webhook: whsec_….').meta({
      description: 'Signing secret of the webhook that Stripe calls. Kept encrypted, never told again; null removes it.',
      examples: ['whsec_51PabcD'],
    }),
    allow_partial: allowPartial(),
  }),
)

const Masked = z
  .object({
    set: z.boolean().describe('Whether there is one.'),
    last4: z
      .string()
      .nullable()
      .meta({ description: 'Its last four letters, where it is long enough.', examples: ['x7Qa'] }),
  })
  .describe('What may be told of it.')

export const StripeMethod = z
  .object({
    is_enabled: isEnabled(),
    mode: choice(['sandbox', 'live'])
      .nullable()
      .describe('What the secret key is for: test payments or live money; null: there is none.'),
    secret_key: Masked,
    webhook_secret: Masked,
    allow_partial: allowPartial(),
    webhook_url: formatted('uri')
      .nullable()
      .describe('Where Stripe is to tell events: enter it there. null until something was saved.'),
  })
  .meta({ id: 'StripeMethod' })

/** Returns a method's settings; undefined where none are saved. */
export const methodOf = (ctx: Ctx, code: Code): Promise<Method | undefined> =>
  ctx.from('payment_methods').selectAll().where('code', '=', code).executeTakeFirst()

/** Returns the enabled methods. */
export const enabledMethods = async (ctx: Ctx): Promise<Map<Code, Method>> => {
  const rows = await ctx.from('payment_methods').selectAll().where('is_enabled', '=', true).execute()
  return new Map(rows.map((row) => [row.code, row]))
}

export async function showBankTransfer(ctx: Ctx): Promise<z.input<typeof BankTransfer>> {
  const { is_enabled = false, account_holder = null, iban = null, bic = null } = (await methodOf(ctx, 'bank_transfer')) ?? {}
  return { is_enabled, account_holder, iban, bic }
}

/** 422 on `account_holder` or `iban` where transfers are enabled without it. */
export async function saveBankTransfer(ctx: Ctx, sent: z.output<typeof UpdateBankTransfer>) {
  const { is_enabled, ...account } = { ...(await lockBankTransfer(ctx)), ...sent }
  const missing = (['account_holder', 'iban'] as const).filter((field) => !account[field])
  if (is_enabled && missing.length)
    throw invalid(Object.fromEntries(missing.map((field) => [field, 'Is needed before customers can pay by transfer.'])))
  await save(ctx, 'bank_transfer', { is_enabled, ...account }, Object.keys(sent))
  return showBankTransfer(ctx)
}

async function lockBankTransfer(ctx: Ctx) {
  await lock(ctx, 'bank_transfer')
  return showBankTransfer(ctx)
}

export async function showStripe(ctx: Ctx): Promise<z.input<typeof StripeMethod>> {
  const row = await methodOf(ctx, 'stripe')
  const keys = row ? credentialsOf(ctx.services, row) : {}
  return {
    is_enabled: row?.is_enabled ?? false,
    mode: row?.mode ?? null,
    secret_key: masked(keys.secret_key),
    webhook_secret: masked(keys.webhook_secret),
    allow_partial: row?.allow_partial ?? false,
    webhook_url: row ? `${ctx.services.config.BASE_URL}/webhooks/payments/${row.uuid}` : null,
  }
}

/** Hides the end of short secrets, because it would reveal too much of them. */
const masked = (secret: string | undefined) => ({
  set: Boolean(secret),
  last4: secret && secret.length >= 16 ? secret.slice(-4) : null,
})

/**
 * Changes the keys sent. 422 on keys that are missing where Stripe is enabled: without its webhook no payment would be reported.
 */
export async function saveStripe(ctx: Ctx, sent: z.output<typeof UpdateStripe>) {
  const row = await lock(ctx, 'stripe')
  const { secret_key, webhook_secret, ...rest } = sent
  const merged = { ...(row ? credentialsOf(ctx.services, row) : {}), ...defined({ secret_key, webhook_secret }) }
  const keys = Object.fromEntries(Object.entries(merged).filter(([, key]) => key)) as Credentials
  const { is_enabled = false, allow_partial = false } = { ...row, ...rest }
  const missing = ['secret_key', 'webhook_secret'].filter((field) => !keys[field])
  if (is_enabled && missing.length)
    throw invalid(Object.fromEntries(missing.map((field) => [field, 'Is needed before customers can pay by Stripe.'])))
  const sealed = Object.keys(keys).length ? ctx.services.secrets.encrypt(purposeOf(ctx.tenant.id), JSON.stringify(keys)) : null
  const mode = keys.secret_key ? (modeOfStripeKey(keys.secret_key) ?? null) : null
  await save(ctx, 'stripe', { is_enabled, allow_partial, sealed, mode }, Object.keys(sent))
  return showStripe(ctx)
}

const defined = (sent: Record<string, string | null | undefined>) =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined))

/** Serialises concurrent saves, also of a method without a row yet. */
async function lock(ctx: Ctx, code: Code): Promise<Method | undefined> {
  await ctx.tx
    .insertInto('payment_methods')
    .values({ tenant_id: ctx.tenant.id, code, created_at: ctx.now, updated_at: ctx.now, ...ownUuid(ctx, ctx.tenant.id) })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'code']).doNothing())
    .execute()
  return ctx.from('payment_methods').selectAll().where('code', '=', code).forUpdate().executeTakeFirst()
}

async function save(ctx: Ctx, code: Code, columns: Partial<Method>, fields: string[]) {
  await ctx
    .update('payment_methods')
    .set({ ...columns, updated_at: ctx.now })
    .where('code', '=', code)
    .execute()
  await audit(ctx, 'payment_method_configured', { method: code, fields })
}

const purposeOf = (tenantId: number) => `payment-method:${tenantId}:stripe`
export const sealedColumns: SealedColumn[] = [
  { table: 'payment_methods', column: 'sealed', by: ['tenant_id'], purpose: ({ tenant_id }) => purposeOf(Number(tenant_id)) },
]

const credentialsOf = ({ secrets }: Services, { tenant_id, sealed }: Method): Credentials =>
  sealed ? JSON.parse(secrets.decrypt(purposeOf(tenant_id), sealed)) : {}

/** Returns a client of Stripe with the workspace's own keys; undefined without keys. */
export function providerOf(services: Services, method: Method): Promise<Provider> | undefined {
  const keys = credentialsOf(services, method)
  return keys.secret_key ? stripeProvider(services.config, method.mode ?? 'sandbox', keys) : undefined
}

/** Finds the method whose webhook has this uuid, in any workspace. Called before the workspace is known. */
export const methodNamed = (ctx: BaseCtx, uuid: string): Promise<Method | undefined> =>
  findByUuid(ctx, uuid, (within) =>
    ctx.tx.selectFrom('payment_methods').selectAll().where('uuid', '=', uuid).where(within('payment_methods')).executeTakeFirst(),
  )
