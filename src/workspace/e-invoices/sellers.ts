/** The workspace as an e-invoice names it. */
import type { Ctx } from '#kernel/context.ts'
import { type SellerSettings, sellerSettings } from './party-fields.ts'

export interface Seller extends SellerSettings {
  /** What stands in where the settings of e-invoices are empty. */
  company_name: string
  company_address: string
  company_phone: string
  company_email: string
  /** Whose the account is, where `iban` and `bic` are those that customers are told to transfer to. */
  account_holder?: string
}

/** The account that a document tells its payer to transfer to. */
export interface Account {
  account_holder: string
  iban: string
  bic: string | null
}

const KEYS = Object.keys(sellerSettings) as (keyof SellerSettings)[]

export async function sellerOf(ctx: Ctx): Promise<Seller> {
  const keys = [...KEYS, 'company_address', 'company_phone', 'company_email'] as const
  const [{ company_name }, ...values] = await Promise.all([
    ctx.tx.selectFrom('tenants').select('company_name').where('id', '=', ctx.tenant.id).executeTakeFirstOrThrow(),
    ...keys.map((key) => ctx.setting(key)),
  ])
  return { company_name, ...Object.fromEntries(keys.map((key, n) => [key, values[n]])) } as unknown as Seller
}
