/** Available gateways. The default one can't be disabled (BIL-12); the manual one is the fallback. */
import { type Selectable, sql } from 'kysely'
import { type BaseCtx, type PlatformCtx, type Services, writeAsSystem } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { listing, platformTable } from '#kernel/records/listing.ts'
import { readOne } from '#kernel/records/view.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import type { Gateway } from './gateway.ts'
import { manual } from './manual.ts'
import { PaymentGateway } from './schema.ts'
import { defaultCode, isEnabled, storeSetting } from './state.ts'
import { stripe } from './stripe.ts'
import type { PaymentGateways } from './tables.ts'

const gateways = new Map<string, Gateway>([stripe, manual].map((gateway) => [gateway.code, gateway]))

/** Labels of gateways by their code in the ledger, and of a workspace's credit, which the ledger lists among them. */
export const gatewayWords: Record<string, string> = {
  ...Object.fromEntries([...gateways.values()].map(({ code, name }) => [code, name])),
  credit: 'Credit',
}

/** Stored gateway. */
export type GatewayRow = Selectable<PaymentGateways> & { is_default: boolean }

/** Adds a row for each gateway in the code, at each start. */
export default async function addGateways(services: Services) {
  await writeAsSystem(services, async ({ tx, now }) => {
    const rows = [...gateways.values()].map(({ code, name, credentials }) => ({
      code,
      name,
      is_enabled: !credentials.length,
      is_configured: !credentials.length,
      created_at: now,
      updated_at: now,
    }))
    await tx
      .insertInto('payment_gateways')
      .values(rows)
      .onConflict((conflict) => conflict.column('code').doNothing())
      .execute()
  })
}

export const gatewayList = listing(platformTable('payment_gateways', PaymentGateway), {
  hardDeleted: true,
  order: { by: ['id'] },
})

export const showGateway = (ctx: BaseCtx, id: number) =>
  readOne(ctx, PaymentGateway, 'payment_gateways', sql`payment_gateways.id = ${id}`, { noun: 'payment gateway', revised: true })

/** Returns the code's definition of a gateway. */
export const gatewayOf = (row: { code: string }): Gateway => gateways.get(row.code) ?? manual

const select = (ctx: BaseCtx) =>
  ctx.tx
    .selectFrom('payment_gateways')
    .selectAll()
    .select(isEnabled('payment_gateways').as('is_enabled'))
    .select(sql<boolean>`payment_gateways.code = ${defaultCode}`.as('is_default'))

async function found(row: Promise<GatewayRow | undefined>): Promise<GatewayRow> {
  const gateway = await row
  if (!gateway) throw notFound('There is no such payment gateway.')
  return gateway
}

/** Returns a gateway by id, or throws a 404. */
export const findGateway = (ctx: BaseCtx, id: number) => found(select(ctx).where('id', '=', id).executeTakeFirst())
/**
 * Serialises changes of gateways and of the settings for enabled and default gateways, so that reads after the lock see the
 * latest state of both tables.
 */
const lockGateways = (ctx: PlatformCtx) => sql`select pg_advisory_xact_lock(hashtext('payment_gateways'))`.execute(ctx.tx)

/** Returns a gateway by id, with all gateways locked until the transaction ends, or throws a 404. */
export async function lockGateway(ctx: PlatformCtx, id: number) {
  await lockGateways(ctx)
  return findGateway(ctx, id)
}
/** Returns a gateway by code, or throws a 404. */
export const gatewayCalled = (ctx: BaseCtx, code: string) => found(select(ctx).where('code', '=', code).executeTakeFirst())

const canBeUsed = (row: GatewayRow) => row.is_enabled && row.is_configured

/** Returns the gateway of new invoices: the default one if it is enabled and configured, else the manual one. */
export async function gatewayOfNewInvoices(ctx: BaseCtx): Promise<Gateway> {
  const row = await select(ctx).where('code', '=', defaultCode).executeTakeFirst()
  return row && canBeUsed(row) ? gatewayOf(row) : manual
}

/** Returns the gateways that can charge now, by code. */
export async function usableGateways(ctx: BaseCtx): Promise<Map<string, GatewayRow>> {
  const rows = await select(ctx).execute()
  return new Map(rows.filter((row) => canBeUsed(row) && gatewayOf(row).provider).map((row) => [row.code, row]))
}

/** Saves columns of a gateway with a new revision. */
export async function saveGateway(ctx: PlatformCtx, row: GatewayRow, changes: Partial<Selectable<PaymentGateways>>) {
  await ctx.tx
    .updateTable('payment_gateways')
    .set({ ...changes, updated_at: ctx.now, revision: sql`revision + 1` })
    .where('id', '=', row.id)
    .execute()
}

/** Enables a gateway. 422 on `gateway` if it isn't configured. */
export async function enable(ctx: PlatformCtx, row: GatewayRow) {
  if (!row.is_configured) throw invalid({ gateway: `${row.name} needs its credentials first.` })
  return setEnabled(ctx, row, true)
}

/** Disables a gateway. 422 on `gateway` for the default one. */
export async function disable(ctx: PlatformCtx, row: GatewayRow) {
  if (row.is_default) throw invalid({ gateway: 'The default gateway can’t be disabled. Make another one the default first.' })
  return setEnabled(ctx, row, false)
}

/**
 * Stores changed settings of the platform. Throws a 422, which rolls the transaction back, if the default gateway then doesn't
 * exist or is disabled (BIL-12).
 */
export async function storeWithGateways(ctx: PlatformCtx, changes: Record<string, unknown>, store: () => Promise<unknown>) {
  const concerned = ['default_payment_gateway', ...[...gateways.keys()].map((code) => `${code}_enabled`)]
  const key = concerned.find((one) => one in changes)
  if (!key) return store()
  await lockGateways(ctx)
  await store()
  const row = await select(ctx).where('code', '=', defaultCode).executeTakeFirst()
  if (!row) throw invalid({ [`settings.${key}`]: `Must be one of ${[...gateways.keys()].join(', ')}.` })
  if (!row.is_enabled) throw invalid({ [`settings.${key}`]: `${row.name} can’t be the default gateway and disabled.` })
}

async function setEnabled(ctx: PlatformCtx, row: GatewayRow, is_enabled: boolean) {
  await saveGateway(ctx, row, { is_enabled })
  await storeSetting(ctx, `${row.code}_enabled`, is_enabled)
  await audit(ctx, is_enabled ? 'payment_gateway_enabled' : 'payment_gateway_disabled', { gateway: row.code }, 0)
  return showGateway(ctx, row.id)
}

/** Makes a gateway the default. 422 on `gateway` unless it is enabled and configured. */
export async function makeDefault(ctx: PlatformCtx, row: GatewayRow) {
  if (!canBeUsed(row)) throw invalid({ gateway: `${row.name} must be configured and enabled first.` })
  await storeSetting(ctx, 'default_payment_gateway', row.code)
  await audit(ctx, 'payment_gateway_made_default', { gateway: row.code }, 0)
  return showGateway(ctx, row.id)
}
