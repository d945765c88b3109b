/** Provider price ids of modules (BIL-10, BIL-11). */
import type { z } from 'zod'
import type { BaseCtx, PlatformCtx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { type GatewayRow, gatewayOf } from './gateways.ts'
import type { MapPrices, ModulePrices } from './schema.ts'

/** Returns all mappings of a gateway, at most one per module of the catalogue. */
export async function modulePrices(ctx: PlatformCtx, row: GatewayRow): Promise<z.input<typeof ModulePrices>> {
  const mappings = await ctx.tx
    .selectFrom('payment_gateway_prices as p')
    .innerJoin('modules as m', 'm.id', 'p.module_id')
    .select(['p.module_id', 'p.monthly_price_id', 'p.yearly_price_id', 'm.key', 'm.name'])
    .where('p.gateway_id', '=', row.id)
    .orderBy('m.key')
    .execute()
  return { mappings: mappings.map(({ key, name, ...prices }) => ({ ...prices, module: { id: prices.module_id, key, name } })) }
}

/**
 * Updates the mappings of the sent modules; others stay. 422 on `mappings` if the gateway needs none, or if a module is unknown
 * or sent twice.
 */
export async function mapPrices(ctx: PlatformCtx, row: GatewayRow, { mappings }: z.output<typeof MapPrices>) {
  if (!gatewayOf(row).needsPriceMapping) throw invalid({ mappings: `${row.name} needs no prices of its own.` })
  refuseTwice(mappings)
  await refuseUnknown(ctx, mappings)
  for (const { module_id, monthly_price_id = null, yearly_price_id = null } of mappings)
    await ctx.tx
      .insertInto('payment_gateway_prices')
      .values({ gateway_id: row.id, module_id, monthly_price_id, yearly_price_id })
      .onConflict((conflict) => conflict.columns(['gateway_id', 'module_id']).doUpdateSet({ monthly_price_id, yearly_price_id }))
      .execute()
  return modulePrices(ctx, row)
}

function refuseTwice(mappings: { module_id: number }[]) {
  const seen = new Set<number>()
  const again = mappings.flatMap(({ module_id }, n) => (seen.size < seen.add(module_id).size ? [] : [n]))
  const message = 'This module is sent twice.'
  if (again.length) throw invalid(Object.fromEntries(again.map((n) => [`mappings.${n}.module_id`, message])))
}

async function refuseUnknown(ctx: PlatformCtx, mappings: { module_id: number }[]) {
  const ids = mappings.map(({ module_id }) => module_id)
  const found = ids.length
    ? await ctx.tx.selectFrom('modules').select('id').where('id', 'in', ids).where('deleted_at', 'is', null).execute()
    : []
  const known = new Set(found.map(({ id }) => id))
  const wrong = mappings.flatMap(({ module_id }, n) => (known.has(module_id) ? [] : [n]))
  const message = 'There is no such module in the catalogue.'
  if (wrong.length) throw invalid(Object.fromEntries(wrong.map((n) => [`mappings.${n}.module_id`, message])))
}

/** Returns the provider's price id of a module in a cycle; null without a mapping. */
export async function priceOf(ctx: BaseCtx, row: GatewayRow, moduleId: number, cycle: string): Promise<string | null> {
  const mapped = await ctx.tx
    .selectFrom('payment_gateway_prices')
    .select(['monthly_price_id', 'yearly_price_id'])
    .where('gateway_id', '=', row.id)
    .where('module_id', '=', moduleId)
    .executeTakeFirst()
  return (cycle === 'yearly' ? mapped?.yearly_price_id : mapped?.monthly_price_id) ?? null
}
