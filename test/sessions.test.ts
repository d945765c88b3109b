/** app.workspace_session: session data of a request, and how long a caller may cache it. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from './harness.ts'

const world = await startTest()
let firm: Workspace
let other: Workspace
let clerk: Person

const ask = async (token: number | string, known: string | null = null) => {
  const text = 'SELECT app.workspace_session($1, $2) AS session'
  const [row] = await world.services.database.statement<{ session: any }>(text, [token, known])
  return row!.session
}
const idOf = ({ token }: Person) => token.split('|')[0]!

before(async () => {
  firm = await world.workspace({ modules: ['vendors'] })
  other = await world.workspace({ modules: [] })
  clerk = await firm.user(['vendors.view'], 'Cleo Clerk')
})

describe('the session of a workspace', () => {
  it('is nothing for an unknown token, a platform user’s, and one whose user or workspace is deleted', async () => {
    const gone = await firm.user([])
    const closed = await world.workspace({ modules: [] })
    assert.ok(await ask(idOf(gone)))
    await world.sql('UPDATE users SET deleted_at = now() WHERE id = $1', [gone.id])
    await world.sql('UPDATE tenants SET deleted_at = now() WHERE id = $1', [closed.id])
    for (const token of [idOf(gone), idOf(closed.owner), idOf(world.admin), '999999999']) assert.equal(await ask(token), null)
    const { version } = await ask(idOf(clerk))
    for (const token of [idOf(gone), idOf(closed.owner), '999999999']) assert.equal(await ask(token, version), null)
  })

  it('tells the whole story to who knows another version, and only the times of the token to who knows this one', async () => {
    const { version, token, user, tenant, roles, kinds, permissions, modules } = await ask(idOf(clerk), 'another')
    assert.partialDeepStrictEqual(user, {
      id: clerk.id,
      name: 'Cleo Clerk',
      email: clerk.email,
      is_owner: false,
      verified: true,
      suspended: false,
    })
    assert.partialDeepStrictEqual(tenant, { id: firm.id, slug: firm.slug, status: 'active', archived: false })
    assert.deepEqual(
      [roles.length, kinds, permissions, modules],
      [1, [], ['vendors.view'], ['companies', 'contacts', 'storage', 'vendors']],
    )
    assert.match(token.hash, /^[0-9a-f]{64}$/)
    const { expires_at, last_used_at } = token
    assert.deepEqual(await ask(idOf(clerk), version), { version, token: { expires_at, last_used_at } })
    const owner = await ask(idOf(firm.owner))
    assert.deepEqual([owner.roles, owner.kinds, owner.permissions], [['superadmin'], ['owner'], []])
  })

  it('has another version after every change of what it tells, and no change of another workspace', async () => {
    let last = (await ask(idOf(clerk))).version
    const apart = (await ask(idOf(other.owner))).version
    const [{ role_id }] = await world.sql('SELECT role_id FROM user_roles WHERE user_id = $1', [clerk.id])
    const inWorkspace = [
      `UPDATE users SET name = 'Cleo' WHERE id = ${clerk.id}`,
      `UPDATE users SET email = 'cleo@x.test' WHERE id = ${clerk.id}`,
      `UPDATE users SET email_verified_at = NULL WHERE id = ${clerk.id}`,
      `UPDATE users SET suspended_at = now() WHERE id = ${clerk.id}`,
      ...[
        'slug = slug || 1',
        `workspace_name = 'W'`,
        `timezone = 'Asia/Tokyo'`,
        `currency = 'JPY'`,
        `locale = 'ja'`,
        `status = 'suspended'`,
        'archived_at = now()',
      ].map((set) => `UPDATE tenants SET ${set} WHERE id = ${firm.id}`),
      `UPDATE access_tokens SET name = 'phone' WHERE id = ${idOf(clerk)}`,
      `UPDATE roles SET permissions = '{vendors.view,vendors.create}' WHERE id = ${role_id}`,
      `INSERT INTO roles (tenant_id, name, created_at, updated_at) VALUES (${firm.id}, 'spare', now(), now())`,
      `INSERT INTO user_roles (tenant_id, user_id, role_id) SELECT tenant_id, ${clerk.id}, id FROM roles WHERE tenant_id = ${firm.id} AND name = 'spare'`,
      `DELETE FROM user_roles WHERE user_id = ${clerk.id} AND role_id <> ${role_id}`,
      `DELETE FROM roles WHERE tenant_id = ${firm.id} AND name = 'spare'`,
      `UPDATE module_subscriptions SET status = 'expired' WHERE tenant_id = ${firm.id}`,
      `DELETE FROM module_subscriptions WHERE tenant_id = ${firm.id}`,
    ]
    for (const change of inWorkspace) {
      await world.sql(change)
      const { version } = await ask(idOf(clerk), last)
      assert.notEqual(version, last, change)
      last = version
    }
    await world.sql('UPDATE access_tokens SET last_used_at = now() WHERE id = $1', [idOf(clerk)])
    assert.deepEqual([(await ask(idOf(clerk))).version, (await ask(idOf(other.owner))).version], [last, apart])
  })

  it('counts changes that happen at once, each of them', async () => {
    const revision = async () =>
      (await world.sql('SELECT revision::int FROM access_revisions WHERE tenant_id = $1', [other.id]))[0].revision
    const first = await revision()
    const change = (n: number) =>
      other.inside(({ tx, tenant, now }) =>
        tx
          .insertInto('roles')
          .values({ tenant_id: tenant.id, name: `role ${n}`, created_at: now, updated_at: now })
          .execute(),
      )
    await Promise.all(Array.from({ length: 8 }, (_, n) => change(n)))
    assert.equal(await revision(), first + 8)
  })

  it('may be asked for by nobody who has taken a role, and its revision is written by the triggers alone', async () => {
    for (const text of ['SELECT app.workspace_session(1)', 'UPDATE access_revisions SET revision = 0'])
      await assert.rejects(
        firm.inside(({ services }) =>
          services.database.pool.connect().then(async (client) => {
            try {
              await client.query(`BEGIN; SET LOCAL ROLE app_tenant; SET LOCAL app.tenant_id = '${firm.id}'`)
              await client.query(text)
            } finally {
              await client.query('ROLLBACK')
              client.release()
            }
          }),
        ),
        { code: '42501' },
        text,
      )
  })
})

describe('roles of a kind', () => {
  it('are seeded, and there is one of each', async () => {
    const seeded = await world.sql('SELECT name, kind FROM roles WHERE tenant_id = $1 AND kind IS NOT NULL ORDER BY id', [
      other.id,
    ])
    assert.deepEqual(
      seeded.map(({ name, kind }) => [name, kind]),
      [
        ['superadmin', 'owner'],
        ['admin', 'admin'],
        ['member', 'member'],
      ],
    )
    const second = `INSERT INTO roles (tenant_id, name, kind, created_at, updated_at) VALUES ($1, 'second', $2, now(), now())`
    await assert.rejects(world.sql(second, [other.id, 'owner']), { code: '23505' })
    await assert.rejects(world.sql(second, [other.id, 'guest']), { code: '23514' })
  })
})
