/** Storage of an account's second factor, and the verification of codes. */

import { sql } from 'kysely'
import type { BaseCtx } from '../../context.ts'
import { HttpError, invalid } from '../../errors.ts'
import type { SealedColumn } from '../../secrets/secrets.ts'
import { plusSeconds } from '../../values/time.ts'
import { type Account, ownedBy } from '../accounts.ts'
import { recoveryHashes, stepOf } from './codes.ts'

const SECRET = 'two-factor-secret'
export const sealedColumns: SealedColumn[] = [{ table: 'two_factors', column: 'secret', purpose: SECRET }]

/** Returns the account's factor, locked; undefined if there is none. */
async function lockFactor(ctx: BaseCtx, account: Account) {
  const row = await ctx.tx.selectFrom('two_factors').selectAll().where(ownedBy(account)).forUpdate().executeTakeFirst()
  return row && { ...row, secret: ctx.services.secrets.decrypt(SECRET, row.secret) }
}

/** Returns the unconfirmed factor, locked; undefined if there is none. */
export async function lockPending(ctx: BaseCtx, account: Account) {
  const factor = await lockFactor(ctx, account)
  return factor?.confirmed_at ? undefined : factor
}

/** Returns whether sign-in requires a code, and how many recovery codes are left. */
export async function factorStatus(ctx: BaseCtx, account: Account) {
  const found = await ctx.tx
    .selectFrom('two_factors')
    .select(sql<number>`cardinality(recovery_codes)`.as('codes'))
    .where(ownedBy(account))
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  return { enabled: found !== undefined, recovery_codes_remaining: found?.codes ?? 0 }
}

/** Stores an unconfirmed secret, replacing an earlier one. Returns false if there is a confirmed factor. */
export async function keepPending(ctx: BaseCtx, account: Account, secret: string): Promise<boolean> {
  const values = { secret: ctx.services.secrets.encrypt(SECRET, secret), created_at: ctx.now }
  const { numInsertedOrUpdatedRows } = await ctx.tx
    .insertInto('two_factors')
    .values({ ...account, ...values })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'user_id']).doUpdateSet(values).where('two_factors.confirmed_at', 'is', null),
    )
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Saves columns of the account's factor, if it has one. */
export async function changeFactor(
  ctx: BaseCtx,
  account: Account,
  changes: { confirmed_at?: string; last_step?: number; recovery_codes?: string[]; wrong_codes?: number; wrong_since?: string },
) {
  await ctx.tx.updateTable('two_factors').set(changes).where(ownedBy(account)).execute()
}

/** Removes the factor: any, or only one that was confirmed after an instant. */
export async function removeFactor(ctx: BaseCtx, account: Account, after?: string) {
  let query = ctx.tx.deleteFrom('two_factors').where(ownedBy(account))
  if (after) query = query.where('confirmed_at', '>', after)
  await query.execute()
}

/** Result of checking a code. `blocked`: too many wrong codes within an hour. */
export type CodeCheck = 'right' | 'wrong' | 'blocked' | 'off'

/**
 * Maximum number of wrong codes per account and hour, from any client: 480 a day give an attacker who has the password a chance
 * of one in 700.
 */
const MAX_WRONG = 20
const HOUR = 3600

/**
 * Verifies a code of the app or a recovery code, and uses it up: neither it nor a code of an earlier step is accepted again.
 * Wrong codes are counted, so the caller must commit before it throws. `off`: there is no confirmed factor.
 */
export async function verifyCode(ctx: BaseCtx, account: Account, code: string): Promise<CodeCheck> {
  const factor = await lockFactor(ctx, account)
  if (!factor?.confirmed_at) return 'off'
  const counting = factor.wrong_since !== null && factor.wrong_since > plusSeconds(ctx.now, -HOUR)
  if (counting && factor.wrong_codes >= MAX_WRONG) return 'blocked'
  const used = usedBy(ctx, factor, code)
  if (used) await changeFactor(ctx, account, { ...used, wrong_codes: 0 })
  else if (counting) await changeFactor(ctx, account, { wrong_codes: factor.wrong_codes + 1 })
  else await changeFactor(ctx, account, { wrong_codes: 1, wrong_since: ctx.now })
  return used ? 'right' : 'wrong'
}

/** Returns the changes by which a right code is used up; undefined for a wrong code. */
function usedBy(
  { services, now }: BaseCtx,
  { secret, last_step, recovery_codes }: { secret: string; last_step: number; recovery_codes: string[] },
  code: string,
) {
  if (/^\d{6}$/.test(code)) {
    const step = stepOf(code, secret, now)
    return step !== undefined && step > last_step ? { last_step: step } : undefined
  }
  const hash = recoveryHashes(services.secrets, code).find((one) => recovery_codes.includes(one))
  return hash ? { recovery_codes: recovery_codes.filter((one) => one !== hash) } : undefined
}

/** Returns the error for a code that isn't right: 422 on `code`, 429 after too many. */
export const refusal = (verdict: CodeCheck) =>
  verdict === 'blocked'
    ? new HttpError(429, 'TOO_MANY_REQUESTS', 'Too many wrong codes. Try again in an hour.', {
        headers: { 'retry-after': String(HOUR) },
      })
    : invalid({ code: 'This code is not right, or was used already.' })
