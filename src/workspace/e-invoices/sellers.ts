/** The workspace as the seller of an e-invoice. */
import type { Ctx } from '#kernel/context.ts'
import { type SellerSettings, sellerSettings } from './party-fields.ts'

export interface Seller extends SellerSettings {
  /** Defaults for empty e-invoice settings. */
  company_name: string
  company_address: string
  company_phone: string
  company_email: string
  /** Account holder, if `iban` and `bic` are the account printed for bank transfers. */
  account_holder?: string
}

/** Account for bank transfers printed on a document. */
export interface Account {
  account_holder: string
  iban: string
  bic: string | null
}

const KEYS = Object.keys(sellerSettings) as (keyof SellerSettings)[]

/** Reads the workspace's current data as a seller. */
export async function sellerOf(ctx: Ctx): Promise<Seller> {
  const keys = [...KEYS, 'company_address', 'company_phone', 'company_email'] as const
  const [{ company_name }, ...values] = await Promise.all([
    ctx.tx.selectFrom('tenants').select('company_name').where('id', '=', ctx.tenant.id).executeTakeFirstOrThrow(),
    ...keys.map((key) => ctx.setting(key)),
  ])
  return { company_name, ...Object.fromEntries(keys.map((key, n) => [key, values[n]])) } as unknown as Seller
}
