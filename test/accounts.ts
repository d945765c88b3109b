/** Users of both APIs, for tests of their shared account features. */
import { hashPassword } from '#kernel/auth/passwords.ts'
import { type Client, PASSWORD, type Reply, type Workspace, type World } from './harness.ts'
import { operator } from './operator.ts'

/** A user with the harness's password. */
export interface Somebody extends Client {
  id: number
  email: string
  token: string
  /** null: user of the platform. */
  tenantId: number | null
  /** Client without a session. */
  nobody: Client
  save(body: object): Promise<Reply>
  /** A DELETE with a body. */
  delete(path: string, body: object): Promise<Reply>
  signIn(more?: object, headers?: Record<string, string>): Promise<Reply>
}

const hash = hashPassword(PASSWORD)

export async function member(world: World, of: Workspace): Promise<Somebody> {
  const person = await of.user([])
  await world.sql('UPDATE users SET password_hash = $1 WHERE id = $2', [await hash, person.id])
  return {
    ...person,
    ...made(world, world.anonymous, '/api/tenant/v1', person),
    tenantId: of.id,
    save: (body) => person.put('/me', body),
  }
}

export async function officer(world: World): Promise<Somebody> {
  const person = await operator(world, [])
  await world.sql('DELETE FROM rate_limits')
  return {
    ...person,
    ...made(world, world.central(), '/api/central/v1', person),
    tenantId: null,
    save: (body) => person.post('/me', body),
  }
}

const made = (world: World, nobody: Client, base: string, { email, token }: { email: string; token: string }) => ({
  nobody,
  signIn: (more: object = {}, headers = {}) => nobody.post('/auth/login', { email, password: PASSWORD, ...more }, { headers }),
  async delete(path: string, payload: object) {
    const reply = await world.app.inject({
      method: 'DELETE',
      url: base + path,
      payload,
      headers: { authorization: `Bearer ${token}` },
    })
    return { status: reply.statusCode, body: reply.json(), headers: reply.headers, raw: reply.rawPayload }
  },
})
