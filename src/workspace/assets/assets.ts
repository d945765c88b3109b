/** Assets. Codes are unique among those not deleted. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Changes, type Row, resource } from '#kernel/records/resource.ts'
import { createRecord, updateRecord } from '#kernel/records/saving.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { refuseFractions } from '#kernel/values/money.ts'
import { lifecycle } from './lifecycle.ts'
import { Asset, AssetDetail, CreateAsset, UpdateAsset } from './schema.ts'

export const assets = resource({
  table: 'assets',
  module: 'assets',
  noun: 'asset',
  item: Asset,
  detail: AssetDetail,
  tallied: ['status'],
  unique: { assets_code: { code: 'Another asset of this workspace has this code.' } },
})

export const assetList = listing(assets, {
  search: true,
  filters: { status: filter.oneOf('status', lifecycle.states), employee_id: filter.id('employee_id') },
})

export const assetStats = statsOf('AssetStats', assetList, { total: 'total_assets', states: lifecycle.states })

export function create(ctx: Ctx, body: z.output<typeof CreateAsset>) {
  const { currency = ctx.tenant.currency, purchase_price } = body
  refuseFractions(currency, { purchase_price })
  return createRecord(ctx, assets, CreateAsset, { ...body, currency })
}

export async function update(ctx: Ctx, asset: Row<'assets'>, { status, ...body }: z.output<typeof UpdateAsset>) {
  const { currency, purchase_price } = { ...asset, ...(body as Changes<'assets'>) }
  refuseFractions(currency, { purchase_price })
  const saved = await updateRecord(ctx, assets, UpdateAsset, asset, body)
  if (status && status !== saved.status) await lifecycle.move(ctx, assets, saved, lifecycle.leadingTo(status, saved.status)!)
}
