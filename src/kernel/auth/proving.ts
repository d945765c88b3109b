/** Confirms by password that a change of the account comes from its owner. */
import type { BaseCtx, Steps } from '../context.ts'
import { invalid } from '../errors.ts'
import { type Account, type AccountRow, lockAccount } from './accounts.ts'
import { verifyPassword } from './passwords.ts'

/**
 * Checks the user's present password, between transactions; throws 422 on its field. Returns a function to call first in the
 * changing transaction: it locks the account, and throws if the password was changed in the meantime.
 */
export async function provePassword<C extends BaseCtx>(
  steps: Steps<C>,
  account: Account,
  password: string,
  field = 'password',
): Promise<(ctx: C) => Promise<AccountRow>> {
  const wrong = () => invalid({ [field]: 'This is not your present password.' })
  const { password_hash } = await steps.write((ctx) => lockAccount(ctx, account))
  if (!(await verifyPassword(password, password_hash))) throw wrong()
  return async (ctx) => {
    const row = await lockAccount(ctx, account)
    if (row.password_hash !== password_hash) throw wrong()
    return row
  }
}
