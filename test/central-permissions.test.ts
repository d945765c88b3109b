/**
 * Permissions of the platform API, restated independently of the code. A route with another permission than in the contract, or
 * missing here, fails. Then users with few permissions try every route.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Client, startTest } from './harness.ts'
import { operator } from './operator.ts'
import { call, pathFor } from './promises/asking.ts'
import { routesOf } from './promises/collections.ts'

/** By required permission; `:` stands for a parameter. */
const table: Record<string, string[]> = {
  anybody: [
    'POST /auth/login',
    'POST /auth/two-factor/challenge',
    'GET /auth/passkeys/login/options',
    'POST /auth/passkeys/login',
    'POST /auth/forgot-password',
    'POST /auth/reset-password',
    'GET /public/settings',
    'GET /public/stats',
    'GET /public/modules',
    'POST /public/beta-applications',
    'GET /public/beta-invites/:',
    'POST /public/beta-invites/resend',
    'POST /public/register-workspace',
    'POST /auth/accept-invite',
    'POST /auth/verify-email',
    'POST /auth/cancel-email-change',
  ],
  'anybody signed in': [
    'GET /me',
    'GET /console',
    'GET /console/screens/:',
    'POST /me',
    'POST /me/avatar',
    'DELETE /me/avatar',
    'POST /me/change-password',
    'GET /me/sessions',
    'DELETE /me/sessions/:',
    'POST /me/sessions/revoke-others',
    'GET /me/two-factor',
    'POST /me/two-factor',
    'POST /me/two-factor/confirm',
    'DELETE /me/two-factor',
    'POST /me/two-factor/recovery-codes',
    'GET /me/passkeys',
    'GET /me/passkeys/options',
    'POST /me/passkeys',
    'POST /me/passkeys/:/confirm',
    'DELETE /me/passkeys/:',
    'POST /me/logout',
    'POST /auth/resend-verification',
    'GET /api-keys',
    'GET /api-keys/scopes',
    'POST /api-keys',
    'PUT /api-keys/:',
    'POST /api-keys/:/rotate',
    'DELETE /api-keys/:',
    'GET /events',
  ],
  'webhooks.manage': [
    'GET /webhook-endpoints',
    'GET /webhook-endpoints/types',
    'POST /webhook-endpoints',
    'GET /webhook-endpoints/:',
    'PUT /webhook-endpoints/:',
    'DELETE /webhook-endpoints/:',
    'POST /webhook-endpoints/:/rotate',
    'POST /webhook-endpoints/:/test',
    'GET /webhook-endpoints/:/deliveries',
    'POST /webhook-endpoints/:/deliveries/:/retry',
    'POST /webhook-endpoints/:/replay',
  ],
  'service-accounts.manage': [
    'GET /service-accounts',
    'POST /service-accounts',
    'GET /service-accounts/:',
    'PUT /service-accounts/:',
    'DELETE /service-accounts/:',
    'POST /service-accounts/:/restore',
    'POST /service-accounts/:/suspend',
    'POST /service-accounts/:/unsuspend',
    'GET /service-accounts/:/keys',
    'POST /service-accounts/:/keys',
    'PUT /service-accounts/:/keys/:',
    'POST /service-accounts/:/keys/:/rotate',
    'DELETE /service-accounts/:/keys/:',
  ],
  'dashboard.view': ['GET /dashboard'],
  'the role superadmin, developer or tester': ['GET /metrics-dashboard/enter', 'GET /queue-dashboard/enter'],
  'tenants.list': ['GET /tenants'],
  'tenants.create': ['POST /tenants'],
  'tenants.read': ['GET /tenants/:', 'GET /tenants/:/entitlements', 'GET /tenants/:/audit-logs'],
  'tenants.update': ['PUT /tenants/:', 'PATCH /tenants/:', 'POST /tenants/:/branded-domain/mark-ssl-provisioned'],
  'tenants.delete': ['DELETE /tenants/:'],
  'tenants.restore': ['POST /tenants/:/restore'],
  'tenants.force.delete': ['DELETE /tenants/:/force'],
  'tenants.archive': ['POST /tenants/:/archive', 'POST /tenants/:/unarchive'],
  'tenants.verify': ['POST /tenants/:/verify-owner'],
  'module-subscriptions.create': ['POST /tenants/:/modules'],
  'invoices.list': ['GET /tenants/:/invoices', 'GET /invoices'],
  'payments.list': ['GET /tenants/:/payments', 'GET /payments'],
  'impersonation.list': ['GET /tenants/:/impersonation-sessions'],
  'impersonation.start': ['POST /tenants/:/impersonate'],
  'users.invite': ['POST /users/invite', 'POST /users/:/resend-invite'],
  'users.list': ['GET /users'],
  'users.create': ['POST /users'],
  'users.read, or oneself': ['GET /users/:', 'GET /users/:/activity'],
  'users.update': ['PUT /users/:', 'PATCH /users/:', 'POST /users/:/verify-email'],
  'users.delete': ['DELETE /users/:'],
  'users.restore': ['POST /users/:/restore'],
  'users.force.delete': ['DELETE /users/:/force'],
  'users.suspend': ['POST /users/:/suspend'],
  'users.unsuspend': ['POST /users/:/unsuspend'],
  'users.reset-password': ['POST /users/:/change-password'],
  'roles.list': ['GET /roles/permissions-matrix', 'GET /roles'],
  'roles.create': ['POST /roles'],
  'roles.read': ['GET /roles/:'],
  'roles.update': ['PUT /roles/:', 'PATCH /roles/:'],
  'roles.delete': ['DELETE /roles/:'],
  'roles.clone': ['POST /roles/:/clone'],
  'modules.list': ['GET /modules', 'GET /marketplace/modules'],
  'modules.create': ['POST /modules'],
  'modules.read': ['GET /modules/:', 'GET /marketplace/modules/:'],
  'modules.update': ['PUT /modules/:', 'PATCH /modules/:'],
  'modules.delete': ['DELETE /modules/:'],
  'modules.restore': ['POST /modules/:/restore'],
  'modules.force.delete': ['DELETE /modules/:/force'],
  'module-subscriptions.list': ['GET /module-subscriptions'],
  'module-subscriptions.read': ['GET /module-subscriptions/:'],
  'module-subscriptions.update': [
    'PUT /module-subscriptions/:',
    'POST /module-subscriptions/:/cancel',
    'POST /module-subscriptions/:/resume',
  ],
  'module-subscriptions.deactivate': ['POST /module-subscriptions/:/deactivate'],
  'invoices.read': ['GET /invoices/:', 'GET /invoices/:/pdf'],
  'payments.read': ['GET /payments/:'],
  'payment-gateways.list or billing.manage': ['GET /payment-gateways'],
  'payment-gateways.read or billing.manage': [
    'GET /payment-gateways/:',
    'GET /payment-gateways/:/webhook-status',
    'GET /payment-gateways/:/logs',
    'GET /payment-gateways/:/webhook-logs',
    'GET /payment-gateways/:/capabilities',
    'GET /payment-gateways/:/module-prices',
  ],
  'payment-gateways.update or billing.manage': [
    'POST /payment-gateways/:/enable',
    'POST /payment-gateways/:/disable',
    'POST /payment-gateways/:/default',
    'PUT /payment-gateways/:/config',
    'PUT /payment-gateways/:/mode',
    'POST /payment-gateways/:/test-connection',
    'PUT /payment-gateways/:/module-prices',
  ],
  'impersonation.end, or whose it is': ['POST /impersonation/:/end'],
  'system-settings.list': ['GET /system-settings', 'GET /console/settings'],
  'system-settings.update': ['PUT /system-settings', 'POST /system-settings/test-mail', 'POST /system-settings/branding/:'],
  'email-logs.list': ['GET /email-logs'],
  'email-logs.read': ['GET /email-logs/:'],
  'email-logs.resend': ['POST /email-logs/:/resend'],
  'beta-applications.list': ['GET /beta-applications'],
  'beta-applications.read': ['GET /beta-applications/:'],
  'beta-applications.update': ['PATCH /beta-applications/:', 'POST /beta-applications/:/invite'],
}

const world = await startTest()
const found = (await routesOf(world.services.modules)).map((one) => ({
  ...one,
  row: `${one.route.method} ${one.path.replace(/:\w+/g, ':')}`,
}))
const routes = found.filter(({ api }) => api === 'platform')
const asked = new Map(Object.entries(table).flatMap(([asks, rows]) => rows.map((row) => [row, asks] as const)))

/** Returns the permissions in a row, one of which is enough, and whether access needs no permission. */
function meaning(asks: string) {
  const permissions = asks.match(/[a-z-]+(\.[a-z-]+)+/g) ?? []
  return { permissions, judgedInside: asks.includes(', ') || !permissions.length }
}

describe('every route of the platform', () => {
  it('asks for what the contract says', () => {
    const wrong = routes.flatMap(({ row, route: { spec } }) => {
      const asks = asked.get(row)
      if (!asks) return [`${row} has no row here`]
      const expected = asks === 'anybody' ? ['anybody'] : meaning(asks).judgedInside ? ['signed-in'] : meaning(asks).permissions
      const declared = [spec.allow].flat() as string[]
      return declared.join() === expected.join() ? [] : [`${row} asks for ${declared} instead of ${expected}`]
    })
    assert.deepEqual(wrong, [])
  })

  const limited: { what: string; allows: (name: string, n: number) => boolean }[] = [
    { what: 'nothing', allows: () => false },
    { what: 'all lists', allows: (name) => name.endsWith('.list') },
    { what: 'everything but people and roles', allows: (name) => !/^(users|roles)\./.test(name) },
    { what: 'every second permission', allows: (_, n) => n % 2 === 0 },
    { what: 'every other second permission', allows: (_, n) => n % 2 === 1 },
  ]
  const people = new Map<string, { can: Set<string>; client: Client; roles: string[] }>()
  before(async () => {
    const all = world.services.modules.permissions('platform').map(({ name }) => name)
    for (const { what, allows } of limited) {
      const permissions = all.filter(allows)
      people.set(what, { can: new Set(permissions), client: await operator(world, permissions), roles: [] })
    }
    for (const name of ['support', 'billing', 'tester']) {
      const [{ permissions }] = await world.sql('SELECT permissions FROM platform_roles WHERE name = $1', [name])
      const client = await operator(world, [])
      await world.sql('INSERT INTO platform_user_roles SELECT $1, id FROM platform_roles WHERE name = $2', [client.id, name])
      people.set(name, { can: new Set(permissions), client, roles: [name] })
    }
  })

  for (const what of [...limited.map(({ what }) => what), 'support', 'billing', 'tester'])
    it(`opens to whoever holds ${what} exactly where it should`, async () => {
      const { can, client, roles } = people.get(what)!
      const wrong: string[] = []
      for (const { row, route, path } of routes.toSorted(
        (a, b) => Number(a.row.endsWith('/logout')) - Number(b.row.endsWith('/logout')),
      )) {
        const asks = asked.get(row)
        if (!asks || asks === 'anybody') continue
        const { permissions } = meaning(asks)
        const byRole = asks.startsWith('the role') && roles.some((role) => asks.includes(role))
        const open = asks === 'anybody signed in' || byRole || permissions.some((name) => can.has(name))
        if (route.spec.limit) await world.sql('DELETE FROM rate_limits')
        const { status } = await call(client, route.method, pathFor(path), {})
        const came = status !== 401 && status !== 403
        if (came !== open || status >= 500) wrong.push(`${row}: ${status}, though it asks for ${asks}`)
      }
      assert.deepEqual(wrong, [])
    })
})

describe('routes that are no more (CEN-66)', () => {
  it('are unknown, whatever the method, to everybody', async () => {
    const removed = ['features', 'plans', 'limit-definitions', 'tenant-subscriptions', 'subscriptions', 'setting-definitions']
    for (const path of [...removed, ...removed.map((one) => `${one}/1`), 'plans/1/features', 'plans/1/restore'])
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
        for (const client of [world.admin, world.central()]) {
          const { status, body } = await call(client, method, `/${path}`, {})
          assert.deepEqual([status, body.code], [404, 'NOT_FOUND'], `${method} /${path}`)
        }
  })
})
