/**
 * Directory of sign-in on a cluster, maintained by code instead of a trigger. Tests that change `users` directly refresh it, and
 * each file checks it at the end.
 */
import assert from 'node:assert/strict'
import type pg from 'pg'

const ACCOUNTS = `SELECT tenant_id, id AS user_id, email, password_hash, email_verified_at IS NOT NULL AS is_verified
  FROM users WHERE deleted_at IS NULL AND NOT is_service`

/** Returns whether a test's statement changes accounts. */
export const changesAccounts = (text: string) => /\b(?:UPDATE|INTO|DELETE FROM) users\b/i.test(text)

/** Serialises concurrent refreshes of tests. */
let filling: Promise<unknown> = Promise.resolve()

export function fillDirectory(superuser: pg.Pool) {
  const fill = async () => {
    await superuser.query('DELETE FROM sign_in_directory')
    await superuser.query(
      `INSERT INTO sign_in_directory (tenant_id, user_id, email, password_hash, is_verified) ${ACCOUNTS} ON CONFLICT DO NOTHING`,
    )
  }
  return (filling = filling.then(fill, fill))
}

/** Fails where the directory differs from the accounts. */
export async function checkDirectory(superuser: pg.Pool) {
  const order = 'ORDER BY tenant_id, user_id'
  const { rows: accounts } = await superuser.query(`${ACCOUNTS} ${order}`)
  const { rows: listed } = await superuser.query(
    `SELECT tenant_id, user_id, email, password_hash, is_verified FROM sign_in_directory ${order}`,
  )
  assert.deepEqual(listed, accounts, 'The directory of sign-in is not what the accounts are: see keepDirectory.')
}
