// Also in CI: citus-short
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { startDns } from '#test/dns.ts'
import { type Reply, startTest, type Workspace } from '#test/harness.ts'

const dns = await startDns()
const { zone } = dns
const world = await startTest({
  env: {
    DNS_SERVER: dns.address,
    SERVER_IPV4: '203.0.113.7,203.0.113.8',
    SERVER_IPV6: '2001:0db8::0007',
    CNAME_TARGET: 'edge.atrium.test',
    BASE_URL: 'https://app.atrium.test',
    PLATFORM_DOMAIN: 'atrium.test',
  },
})
const START = '2027-03-01T09:00:00.000Z'
let firm: Workspace
let made = 0

after(() => dns.stop())
before(async () => {
  world.clock.set(START)
})
beforeEach(async () => {
  await world.sql('DELETE FROM rate_limits')
  world.clock.set(START)
  zone.clear()
  dns.broken = false
  firm = await world.workspace({ modules: ['branded'] })
})

const host = () => `firm${++made}.example`
const claim = (domain: string, by = firm) => by.owner.post('/branded/domain', { domain })
const verify = (by = firm) => by.owner.post('/branded/domain/verify')
const shown = async (by = firm) => (await by.owner.get('/branded/domain')).body.data
const provision = (by = firm) => world.admin.post(`/tenants/${by.id}/branded-domain/mark-ssl-provisioned`)
const asks = async (domain: string) => (await world.root.get('/internal/tls-ask', { query: { domain } })).status

/** Claims a domain and sets the DNS records of its instructions. */
async function claimed(by = firm, domain = host()) {
  const { status, body } = await claim(domain, by)
  assert.equal(status, 201, body.message)
  const { txt_name, txt_value } = body.data.instructions
  zone.set(`TXT ${txt_name}`, ['unrelated', txt_value])
  zone.set(`A ${domain}`, ['203.0.113.8'])
  return domain
}
async function verified(by = firm, domain?: string) {
  const name = await claimed(by, domain)
  assert.equal((await verify(by)).body.data.verified, true)
  return name
}

function refused({ status, body }: Reply, ...fields: string[]) {
  assert.equal(status, 422, body.message)
  assert.deepEqual(Object.keys(body.errors!).sort(), fields.sort())
}

describe('claiming', () => {
  it('tells what the DNS must say (BRD-02 … BRD-05)', async () => {
    assert.deepEqual(await shown(), { branded_active: false, domain: null, instructions: null })
    const { status, body } = await claim(' CRM.Example.COM. ')
    assert.equal(status, 201)
    const { domain, instructions, branded_active } = body.data
    assert.equal(branded_active, false)
    const { id, claimed_at, ...rest } = domain
    assert.equal(typeof id, 'number')
    assert.equal(claimed_at, START)
    assert.deepEqual(rest, {
      ...{ domain: 'crm.example.com', type: 'custom', verified: false, verified_at: null, ssl_provisioned: false },
      ...{ ssl_provisioned_at: null, hosting_status: 'dns_pending', is_primary: true },
    })
    const { txt_value, ...told } = instructions
    assert.match(txt_value, /^service-verify-[0-9a-f]{32}$/)
    assert.deepEqual(told, {
      ...{ hostname: 'crm.example.com', txt_name: '_service-verification.crm.example.com' },
      ...{ a_record_name: 'crm.example.com', a_record_value: '203.0.113.7' },
      ...{ www_cname_name: 'www.crm.example.com', www_cname_value: 'edge.atrium.test', cname_target: 'edge.atrium.test' },
      ...{ server_ipv4: ['203.0.113.7', '203.0.113.8'], server_ipv6: ['2001:db8::7'] },
      examples: ['crm.crm.example.com', 'portal.crm.example.com', 'www.crm.example.com'],
    })
    assert.deepEqual(await shown(), body.data)
  })

  it('takes hostnames only, and none of the platform (BRD-07)', async () => {
    for (const domain of [
      ...[
        '',
        'localhost',
        'https://a.example',
        'a.example/x',
        'a.example:8080',
        'a_b.example',
        '-a.example',
        'a..example',
        '10.0.0.1',
      ],
      ...[
        '[::1]',
        'me@a.example',
        'a b.example',
        `${'x'.repeat(64)}.example`,
        `${'x.'.repeat(130)}example`,
        '*.example.com',
        7,
        null,
      ],
      ...['atrium.test', 'other.atrium.test', 'APP.atrium.test', 'edge.atrium.test.'],
    ])
      refused(await claim(domain as string), 'domain')
    assert.equal((await claim('münchen.example')).body.data.domain.domain, 'xn--mnchen-3ya.example')
  })

  it('of the same hostname keeps the token, of another replaces it (BRD-06)', async () => {
    const domain = await verified()
    const { txt_value } = (await shown()).instructions
    const again = (await claim(domain)).body.data
    assert.deepEqual([again.instructions.txt_value, again.domain.hosting_status], [txt_value, 'ssl_pending'])
    const other = (await claim(host())).body.data
    assert.notEqual(other.instructions.txt_value, txt_value)
    assert.partialDeepStrictEqual(other.domain, { hosting_status: 'dns_pending', verified: false })
    assert.equal(await asks(domain), 404)
  })
})

describe('verifying', () => {
  it('needs a claim', async () => refused(await verify(), 'domain'))

  it('shows what was found against what is expected', async () => {
    const domain = host()
    await claim(domain)
    const { txt_name, txt_value } = (await shown()).instructions
    zone.set(`TXT ${txt_name}`, ['service-verify-wrong'])
    zone.set(`A ${domain}`, ['203.0.113.7', '198.51.100.1'])
    const reply = await verify()
    const kept = { headers: { 'idempotency-key': 'asked-once' } }
    const once = await firm.owner.post('/branded/domain/verify', {}, kept)
    assert.deepEqual((await firm.owner.post('/branded/domain/verify', {}, kept)).body.data, once.body.data)
    assert.equal(reply.status, 200)
    const { verified, checks, domain: row } = reply.body.data
    assert.deepEqual([verified, row.verified, row.hosting_status], [false, false, 'dns_pending'])
    assert.deepEqual(checks, [
      ...[
        { record: 'TXT', name: txt_name, expected: [txt_value], found: ['service-verify-wrong'], ok: false },
        { record: 'CNAME', name: domain, expected: ['edge.atrium.test'], found: [], ok: false },
        {
          record: 'A',
          name: domain,
          expected: ['203.0.113.7', '203.0.113.8'],
          found: ['203.0.113.7', '198.51.100.1'],
          ok: false,
        },
        { record: 'AAAA', name: domain, expected: ['2001:db8::7'], found: [], ok: null },
      ].map((check, n) => ({
        ...check,
        reason: [`It must say ${txt_value}.`, 'There is no such record.', 'It must say 203.0.113.7 or 203.0.113.8.', null][n],
      })),
    ])
  })

  it('passes by A, by AAAA or by CNAME, and only with the TXT record (BRD-11)', async () => {
    for (const { records, passes } of [
      { records: { A: ['203.0.113.7', '203.0.113.8'] }, passes: true },
      { records: { AAAA: ['2001:db8:0:0::7'] }, passes: true },
      { records: { A: ['203.0.113.7'], AAAA: ['2001:db8::7'] }, passes: true },
      { records: { A: ['203.0.113.7'], AAAA: ['2001:db8::8'] }, passes: false },
      { records: { CNAME: ['Edge.Atrium.Test'] }, passes: true },
      { records: { CNAME: ['edge.elsewhere.test'] }, passes: false },
      { records: {}, passes: false },
    ] as { records: Record<string, string[]>; passes: boolean }[]) {
      const domain = await claimed()
      zone.delete(`A ${domain}`)
      for (const [type, values] of Object.entries(records)) zone.set(`${type} ${domain}`, values)
      const { status, body } = await verify()
      assert.deepEqual([status, body.data.verified], [200, passes], JSON.stringify(records))
      assert.equal(body.data.domain.hosting_status, passes ? 'ssl_pending' : 'dns_pending')
      zone.delete(`TXT _service-verification.${domain}`)
      if (passes) await claim(host())
    }
    const domain = await claimed()
    zone.delete(`TXT _service-verification.${domain}`)
    assert.equal((await verify()).body.data.verified, false)
  })

  it('says so when the DNS gives no answer, which says nothing about the domain', async () => {
    await claimed()
    dns.broken = true
    const { status, body } = await verify()
    const { verified, checks } = body.data
    assert.deepEqual([status, verified, checks[0].reason], [200, false, 'The DNS gave no answer. Try again soon.'])
  })

  it('makes a hostname one workspace’s alone, also when two verify it at once', async () => {
    const rival = await world.workspace({ modules: ['branded'] })
    const domain = await claimed()
    const { txt_name, txt_value } = (await shown()).instructions
    await claim(domain, rival)
    zone.set(`TXT ${txt_name}`, [txt_value, (await shown(rival)).instructions.txt_value])
    const replies = await Promise.all([verify(), verify(rival)])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422])
    refused(replies.find(({ status }) => status === 422)!, 'domain')
    const [winner, loser] = replies[0]!.status === 200 ? [firm, rival] : [rival, firm]
    await winner.owner.del('/branded/domain')
    assert.equal((await verify(loser)).status, 200)
  })

  it('is limited to ten a minute', async () => {
    await claimed()
    for (let n = 0; n < 10; n++) await verify()
    assert.equal((await verify()).status, 429)
  })
})

describe('hosting', () => {
  it('goes from pending to active by the operator’s word (BRD-08, BRD-09, BRD-12, CEN-27)', async () => {
    refused(await provision(), 'domain')
    const domain = await claimed()
    refused(await provision(), 'domain')
    assert.equal(await asks(domain), 404)
    await verify()
    assert.equal(await asks(domain.toUpperCase()), 200)
    const { status, body } = await provision()
    assert.equal(status, 200, body.message)
    assert.deepEqual([body.data.hosting_status, body.data.ssl_provisioned, body.data.ssl_provisioned_at], ['active', true, START])
    assert.equal((await shown()).branded_active, true)
    assert.equal((await provision()).status, 200, 'twice is once')
    assert.equal((await world.admin.post('/tenants/999999/branded-domain/mark-ssl-provisioned')).status, 404)
    const removed = await firm.owner.del('/branded/domain')
    assert.deepEqual([removed.status, removed.body.data.domain], [200, null])
    assert.equal((await firm.owner.del('/branded/domain')).status, 200)
    assert.equal(await asks(domain), 404)
  })

  it('tells issuers no for anything but verified hostnames of those who have the module', async () => {
    const domain = await verified()
    for (const other of ['', 'atrium.test', `www.${domain}`, `${domain}.`, "x' OR 1=1", 'x'.repeat(253)])
      assert.equal(await asks(other), 404, other)
    assert.equal((await world.root.get('/internal/tls-ask')).status, 422)
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1 AND module_key = 'branded'`, [
      firm.id,
    ])
    assert.equal(await asks(domain), 404)
  })

  it('is told to TLS issuers whatever else the proxy is made to ask', async () => {
    const domain = await verified()
    const { database } = world.services
    const { platform } = database
    let transactions = 0
    database.platform = (...given) => {
      transactions++
      return platform(...given)
    }
    try {
      const strangers = Array.from({ length: 1500 }, (_, n) => asks(`${n}.strangers.test`))
      const ours = asks(domain)
      assert.equal(await ours, 200)
      assert.deepEqual(new Set(await Promise.all(strangers)), new Set([404]))
      assert.equal(await asks(domain), 200)
      assert.ok(transactions < 50, `${transactions} transactions`)
      transactions = 0
      for (const nonsense of ['a b', 'ä.test', '-', 'x.'.repeat(120), '..', 'localhost'])
        assert.equal(await asks(nonsense), 404, nonsense)
      assert.equal(transactions, 0, 'what is no hostname is not looked up')
    } finally {
      database.platform = platform
    }
  })

  it('lets people sign in by the hostname alone', async () => {
    const domain = await verified()
    const other = await world.workspace({ modules: [] })
    await world.sql('UPDATE users SET email = $1 WHERE id = ANY ($2::bigint[])', [
      `ida${made}@firm.test`,
      [firm.owner.id, other.owner.id],
    ])
    const signIn = (host: string) =>
      world.anonymous.post(
        '/auth/login',
        { email: `ida${made}@firm.test`, password: 'correct horse battery' },
        { headers: { host } },
      )
    assert.equal((await signIn(`${domain}:443`)).body.data.workspace.id, firm.id)
    refused(await signIn('unknown.example'), 'workspace')
    refused(await signIn('app.atrium.test'), 'workspace')
  })
})

describe('checks by themselves', () => {
  const at = async (hours: number) => {
    world.clock.set(new Date(Date.parse(START) + hours * 3_600_000).toISOString())
    const { services } = world
    const { default: jobs } = await import('./jobs.ts')
    await jobs[1]!.handle(services, { data: {} }, { signal: new AbortController().signal, module: undefined })
    await world.drain()
  }

  it('verify a claim as soon as its records are there, for a week', async () => {
    const domain = host()
    await claim(domain)
    await at(2)
    assert.equal((await shown()).domain.verified, false)
    zone.set(`TXT _service-verification.${domain}`, [(await shown()).instructions.txt_value])
    zone.set(`CNAME ${domain}`, ['edge.atrium.test'])
    await at(4)
    assert.equal((await shown()).domain.hosting_status, 'ssl_pending')
    await claim(host())
    await at(9 * 24)
    const [{ next_check_at }] = await world.sql('SELECT next_check_at FROM branded_domains WHERE tenant_id = $1', [firm.id])
    assert.equal(next_check_at, null)
  })

  it('take a domain away whose records have been wrong for three days, not before', async () => {
    const domain = await verified()
    await provision()
    zone.delete(`TXT _service-verification.${domain}`)
    await at(30)
    await at(100)
    assert.equal((await shown()).domain.hosting_status, 'active')
    zone.set(`TXT _service-verification.${domain}`, [(await shown()).instructions.txt_value])
    await at(101.5)
    zone.delete(`TXT _service-verification.${domain}`)
    await at(130)
    dns.broken = true
    await at(131.5)
    dns.broken = false
    await at(130 + 71)
    assert.equal((await shown()).domain.hosting_status, 'active')
    await at(130 + 73)
    assert.equal((await shown()).domain.hosting_status, 'dns_pending')
    assert.equal(await asks(domain), 404)
    const events = await world.sql(`SELECT event FROM audit_logs WHERE tenant_id = $1 AND event LIKE 'branded%' ORDER BY id`, [
      firm.id,
    ])
    assert.deepEqual(
      events.map(({ event }) => event),
      ['branded_domain_claimed', 'branded_domain_verified', 'branded_domain_provisioned', 'branded_domain_lost'],
    )
  })
})
