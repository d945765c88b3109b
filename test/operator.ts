/** People of the platform besides its first admin. */
import { type Client, PASSWORD, type World } from './harness.ts'

let made = 0

export interface Operator extends Client {
  id: number
  email: string
  token: string
}

/** A signed-in platform user with exactly these permissions. */
export async function operator(world: World, permissions: string[], { verified = true } = {}): Promise<Operator> {
  const email = `operator${++made}@platform.test`
  const [{ id }] = await world.sql(
    `WITH u AS (
       INSERT INTO platform_users (name, email, password_hash, email_verified_at, created_at, updated_at)
       SELECT 'Oscar Operator', $1, password_hash, CASE WHEN $4 THEN email_verified_at END, created_at, created_at
       FROM platform_users WHERE email = 'admin@platform.test' RETURNING id
     ), r AS (
       INSERT INTO platform_roles (name, permissions, created_at, updated_at) VALUES ($2, $3, now(), now()) RETURNING id
     )
     INSERT INTO platform_user_roles (user_id, role_id) SELECT u.id, r.id FROM u, r RETURNING user_id AS id`,
    [email, `role of ${email}`, permissions, verified],
  )
  const { body } = await world.central().post('/auth/login', { email, password: PASSWORD })
  return { ...world.central(body.data.token), id: Number(id), email, token: body.data.token }
}

/** What the client's link said: the token at the end of the address in the last mail of a type to somebody. */
export async function mailedToken(world: World, type: string, to: string): Promise<string> {
  const [mail] = await world.sql(
    `SELECT body_text FROM email_logs WHERE notification_type = $1 AND $2 = ANY("to") ORDER BY id DESC LIMIT 1`,
    [type, to],
  )
  return /https?:\S+\/(\S+)/.exec(mail?.body_text ?? '')?.[1] ?? ''
}
