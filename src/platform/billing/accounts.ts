/** Credit of a workspace in a currency. The account's row is the lock for all of the workspace's debts in that currency. */
import type { Selectable } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import { decimal } from '#kernel/values/money.ts'
import { payInvoice } from './paying.ts'
import type { BillingAccounts, LedgerCredits } from './tables.ts'

export type Account = Selectable<BillingAccounts>

/** Locks an account until the transaction ends, creating it if necessary. Must be the first lock taken. */
export const lockAccount = ({ tx }: BaseCtx, tenant_id: number, currency: string): Promise<Account> =>
  tx
    .insertInto('billing_accounts')
    .values({ tenant_id, currency })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'currency']).doUpdateSet({ currency }))
    .returningAll()
    .executeTakeFirstOrThrow()

/** Returns the same workspace's account in another currency, locked. */
export const accountIn = async (ctx: BaseCtx, account: Account, currency: string): Promise<Account> =>
  account.currency === currency ? account : lockAccount(ctx, account.tenant_id, currency)

interface Credit {
  amount: string
  reason: LedgerCredits['reason']
  subscription_id?: number
  payment_id?: number
  /** Invoice that billed the unused days. */
  invoice_id?: number
}

/** Adds an amount to a locked account's credit and pays open invoices with it. Ignores amounts of 0 or less. */
export async function giveCredit(ctx: BaseCtx, { tenant_id, currency }: Account, credit: Credit) {
  if (decimal(credit.amount).lte(0)) return
  await ctx.tx
    .insertInto('ledger_credits')
    .values({ tenant_id, currency, ...credit, created_at: ctx.now })
    .execute()
  const account = await changeCredit(ctx, { tenant_id, currency }, credit.amount)
  await payFromCredit(ctx, account)
}

/** Pays a locked account's open invoices from its credit, oldest first, as far as it suffices. */
export async function payFromCredit(ctx: BaseCtx, { tenant_id, currency, credit }: Account) {
  let left = decimal(credit)
  if (left.lte(0)) return
  const open = await ctx.tx
    .selectFrom('ledger_invoices')
    .select(['id', 'balance_due'])
    .where('tenant_id', '=', tenant_id)
    .where('currency', '=', currency)
    .where('status', '=', 'open')
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const { id, balance_due } of open) {
    const amount = left.gt(balance_due) ? balance_due : left.toFixed()
    if (decimal(amount).lte(0)) return
    await ctx.tx
      .insertInto('ledger_payments')
      .values({
        tenant_id,
        invoice_id: id,
        gateway: 'credit',
        mode: 'live',
        kind: 'credit',
        status: 'succeeded',
        currency,
        amount,
        created_at: ctx.now,
        updated_at: ctx.now,
        settled_at: ctx.now,
      })
      .execute()
    await changeCredit(ctx, { tenant_id, currency }, decimal(amount).neg().toFixed())
    await payInvoice(ctx, { tenant_id, id }, amount)
    left = left.minus(amount)
  }
}

const changeCredit = (
  ctx: BaseCtx,
  { tenant_id, currency }: Pick<Account, 'tenant_id' | 'currency'>,
  by: string,
): Promise<Account> =>
  ctx.tx
    .updateTable('billing_accounts')
    .set((eb) => ({ credit: eb('credit', '+', by) }))
    .where('tenant_id', '=', tenant_id)
    .where('currency', '=', currency)
    .returningAll()
    .executeTakeFirstOrThrow()
