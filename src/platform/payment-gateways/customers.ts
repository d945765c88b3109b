/** Provider ids of workspaces and their payment methods, separate for each mode. */
import type { BaseCtx } from '#kernel/context.ts'
import type { Customer, Mode } from '#kernel/payment-providers/provider.ts'
import type { GatewayRow } from './gateways.ts'

interface KnownCustomer extends Customer {
  tenant_id: number
  gateway_id: number
  mode: string
}

/** Returns the customers of some workspaces, for all gateways and modes. */
export const customersOf = async ({ tx }: BaseCtx, tenantIds: number[]): Promise<KnownCustomer[]> =>
  tenantIds.length ? tx.selectFrom('payment_customers').selectAll().where('tenant_id', 'in', tenantIds).execute() : []

/** Stores a newly registered customer, unless there is one already. Returns the stored one. */
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

/** Stores a customer, unless its workspace was erased meanwhile. A known payment method stays if there is no newer one. */
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
