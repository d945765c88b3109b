/** What providers call the workspaces, and by what they may be charged; apart for each mode. */
import type { BaseCtx } from '#kernel/context.ts'
import type { Customer, Mode } from '#kernel/payment-providers/provider.ts'
import type { GatewayRow } from './gateways.ts'

interface KnownCustomer extends Customer {
  tenant_id: number
  gateway_id: number
  mode: string
}

/** Those of some workspaces, over all gateways and modes. */
export const customersOf = async ({ tx }: BaseCtx, tenantIds: number[]): Promise<KnownCustomer[]> =>
  tenantIds.length ? tx.selectFrom('payment_customers').selectAll().where('tenant_id', 'in', tenantIds).execute() : []

/** Remembers what a workspace was just registered as, unless somebody was quicker: gives the one that counts. */
export const registered = (ctx: BaseCtx, row: GatewayRow, tenantId: number, customer: Customer): Promise<Customer> =>
  ctx.tx
    .insertInto('payment_customers')
    .values({ tenant_id: tenantId, gateway_id: row.id, mode: row.mode, ...customer })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'gateway_id', 'mode'])
        .doUpdateSet((eb) => ({ customer: eb.ref('payment_customers.customer') })),
    )
    .returning(['customer', 'payment_method'])
    .executeTakeFirstOrThrow()

/** Remembers a customer, unless its workspace was erased meanwhile. A means of payment that was known before stays when there is no newer one. */
export async function rememberCustomer(ctx: BaseCtx, row: GatewayRow, mode: Mode, tenantId: number, customer: Customer) {
  const tenant = await ctx.tx.selectFrom('tenants').select('id').where('id', '=', tenantId).forKeyShare().executeTakeFirst()
  if (!tenant) return
  await ctx.tx
    .insertInto('payment_customers')
    .values({ tenant_id: tenantId, gateway_id: row.id, mode, ...customer })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'gateway_id', 'mode']).doUpdateSet((eb) => ({
        customer: customer.customer,
        payment_method: eb.fn.coalesce('excluded.payment_method', 'payment_customers.payment_method'),
      })),
    )
    .execute()
}
