/** E-mail without a server: accounts, drafts, links, templates, signatures, and when mailboxes are synchronised. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const permissions = [
  'email.view',
  'email.create',
  'email.update',
  'email.delete',
  'email.accounts.manage',
  'email.templates.manage',
  'email.signatures.manage',
]
let firm: Workspace
let owner: Person
let ann: Person
let bob: Person

before(async () => {
  firm = await world.workspace({ modules: ['email', 'leads', 'contacts'] })
  owner = firm.owner
  ann = await firm.user([...permissions, 'contacts.view'], 'Ann')
  bob = await firm.user(permissions, 'Bob')
})

const server = (side: string, more: object = {}) =>
  Object.fromEntries(
    Object.entries({ host: 'mail.example.test', username: 'ann', password: 'hidden-secret', ...more }).map(([name, value]) => [
      `${side}_${name}`,
      value,
    ]),
  )
const account = (more: object = {}) => ({ email_address: 'ann@firm.test', ...server('imap'), ...server('smtp'), ...more })
const connect = async (person: Person, more: object = {}) => (await person.post('/email/accounts', account(more))).body.data

describe('accounts', () => {
  it('have one default for each user (EML-08)', async () => {
    const carl = await firm.user(permissions, 'Carl')
    const first = await connect(carl)
    const second = await connect(carl)
    assert.deepEqual([first.is_default, second.is_default, first.sync_interval_minutes], [true, false, 5])
    const defaults = async () =>
      (await carl.get('/email/accounts')).body.data.flatMap(({ uuid, is_default }: any) => (is_default ? [uuid] : []))
    await Promise.all([first, second].map(({ uuid }) => carl.post(`/email/accounts/${uuid}/default`)))
    assert.equal((await defaults()).length, 1)
    await carl.post(`/email/accounts/${second.uuid}/default`)
    assert.deepEqual(await defaults(), [second.uuid])
    const refused = await carl.put(`/email/accounts/${second.uuid}`, { is_default: false })
    assert.deepEqual([refused.status, Object.keys(refused.body.errors!)], [422, ['is_default']])
    await carl.del(`/email/accounts/${second.uuid}`)
    assert.deepEqual(await defaults(), [first.uuid])
  })

  it('are the first at once in a race too', async () => {
    const dora = await firm.user(permissions, 'Dora')
    const made = await Promise.all(Array.from({ length: 4 }, () => connect(dora)))
    assert.equal(made.filter(({ is_default }) => is_default).length, 1)
  })

  it('never show their passwords, and keep them encrypted (EML-03)', async () => {
    const made = await ann.post('/email/accounts', account())
    const { uuid } = made.body.data
    const shown = [
      made,
      await ann.get(`/email/accounts/${uuid}`),
      await ann.put(`/email/accounts/${uuid}`, { smtp_password: 'other-secret' }),
    ]
    for (const { raw } of shown) assert.doesNotMatch(String(raw), /secret|password/)
    const [row] = await world.sql('SELECT * FROM email_accounts WHERE uuid = $1', [uuid])
    assert.ok(!JSON.stringify(row).includes('hidden-secret') && !row.imap_password.includes('hidden-secret'))
    const sealed = row.imap_password.toString('hex')
    await ann.put(`/email/accounts/${uuid}`, { from_name: 'Ann A.' })
    const [{ imap_password }] = await world.sql('SELECT imap_password FROM email_accounts WHERE uuid = $1', [uuid])
    assert.equal(imap_password.toString('hex'), sealed)
  })

  it('send a stored password to its own server alone, and no less protected (EML-10)', async () => {
    const { uuid } = await connect(ann, { smtp_encryption: 'starttls' })
    const change = (body: object) => ann.put(`/email/accounts/${uuid}`, body)
    const stored = () => world.sql('SELECT * FROM email_accounts WHERE uuid = $1', [uuid])
    const before = await stored()
    for (const [body, ...fields] of [
      [{ imap_host: 'mx.evil.test' }, 'imap_password'],
      [{ smtp_encryption: 'none', imap_password: 'planted-own' }, 'smtp_password'],
      [{ imap_host: 'mx.evil.test', smtp_host: 'mx.evil.test' }, 'imap_password', 'smtp_password'],
    ] as [object, ...string[]][]) {
      const { status, body: reply } = await change(body)
      assert.deepEqual([status, Object.keys(reply.errors ?? {})], [422, fields], JSON.stringify(body))
    }
    assert.deepEqual(await stored(), before)
    for (const body of [
      { imap_host: ' Mail.Example.test', imap_port: 994, imap_encryption: 'ssl', smtp_port: 465, imap_username: 'other' },
      { imap_encryption: 'starttls', smtp_encryption: 'ssl', sync_interval_minutes: 10 },
      { imap_host: 'imap.example.test', imap_port: 143, imap_encryption: 'none', imap_password: 'planted-typed' },
    ])
      assert.equal((await change(body)).status, 200, JSON.stringify(body))
  })

  it('are not in internal networks', async () => {
    for (const host of [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '::1',
      '::ffff:192.168.0.1',
      'fd00::1',
      '0.0.0.0',
      'localhost',
      'db.internal',
    ])
      for (const side of ['imap', 'smtp']) {
        const made = await ann.post('/email/accounts', account(server(side, { host })))
        assert.deepEqual([made.status, Object.keys(made.body.errors ?? {})], [422, [`${side}_host`]], host)
        const tested = await ann.post('/email/accounts/test', account(server(side, { host })))
        assert.deepEqual([tested.status, Object.keys(tested.body.errors ?? {})], [422, [`${side}_host`]], host)
      }
  })

  it('are in internal networks by default only where nobody else reaches the service', async () => {
    const { allowsInternal } = await import('./connections/addresses.ts')
    const { readConfig } = await import('#kernel/config.ts')
    const APP_KEY = Buffer.alloc(32).toString('base64')
    const allowed = (env: Record<string, string>) =>
      allowsInternal({ ...world.services, config: readConfig({ APP_KEY, ...env }) })
    const everywhere = { HOST: '0.0.0.0' }
    assert.ok(allowed({}) && allowed({ HOST: '127.0.0.1' }) && allowed({ HOST: '::1', BASE_URL: 'http://127.0.0.1:3000' }))
    for (const env of [everywhere, { HOST: '::' }, { BASE_URL: 'https://atrium.test' }, { HOST: '10.0.0.1' }])
      assert.ok(!allowed(env))
    assert.ok(allowed({ ...everywhere, ALLOW_INTERNAL_MAIL_HOSTS: 'true' }))
    assert.ok(!allowed({ ALLOW_INTERNAL_MAIL_HOSTS: 'false' }))
  })

  it('are tried again after growing pauses while they fail, and at once when somebody asks', async () => {
    const fay = await firm.user(permissions, 'Fay')
    const { uuid } = await connect(fay)
    const state = async () =>
      (
        await world.sql(
          'SELECT sync_failures AS failures, next_sync_at AS next, sync_slow AS slow FROM email_accounts WHERE uuid = $1',
          [uuid],
        )
      )[0]
    await world.drain()
    const [{ id, tenant_id }] = await world.sql('SELECT id, tenant_id FROM email_accounts WHERE uuid = $1', [uuid])
    const { syncSlowly } = await import('./sync/jobs.ts')
    const pauses: number[] = []
    for (let n = 0; n < 11; n++) {
      await world.sql('UPDATE email_accounts SET next_sync_at = $1 WHERE uuid = $2', [world.clock.now(), uuid])
      const before = Date.parse(world.clock.now())
      await syncSlowly.handle(
        world.services,
        { data: { account_id: Number(id) }, tenant_id: Number(tenant_id) },
        { signal: new AbortController().signal, module: undefined },
      )
      pauses.push(Math.round((new Date((await state()).next).getTime() - before) / 60_000) || 0)
    }
    assert.deepEqual(pauses, [0, 0, 8, 16, 32, 64, 128, 256, 360, 360, 360])
    await fay.post(`/email/accounts/${uuid}/sync`)
    await world.drain()
    assert.deepEqual([(await state()).failures, (await state()).slow], [13, true])
  })

  it('that lead nowhere are told so by the test (EML-07)', async () => {
    const tested = await bob.post('/email/accounts/test', account(server('imap', { host: 'no-such-host.invalid' })))
    assert.equal(tested.status, 422)
    assert.deepEqual(Object.keys(tested.body.errors!).sort(), ['imap_host', 'smtp_host'])
  })

  it('take the intervals of the contract alone (EML-04)', async () => {
    for (const minutes of [5, 10, 15, 30, 60])
      assert.equal((await connect(bob, { sync_interval_minutes: minutes })).sync_interval_minutes, minutes)
    const refused = await bob.post('/email/accounts', account({ sync_interval_minutes: 7 }))
    assert.deepEqual(Object.keys(refused.body.errors!), ['sync_interval_minutes'])
  })
})

describe('synchronisation', () => {
  it('is dispatched when the interval of a mailbox has elapsed, once, and not for the suspended (EML-05)', async () => {
    const { dispatchSyncs, syncSlowly } = await import('./sync/jobs.ts')
    const other = await world.workspace({ modules: ['email'] })
    const eve = await other.user(permissions, 'Eve')
    const gone = await other.user(permissions, 'Gone')
    await world.sql('UPDATE email_accounts SET next_sync_at = $1', ['2100-01-01'])
    world.clock.set('2027-01-01T00:00:00.000Z')
    await connect(eve, { sync_interval_minutes: 15 })
    await connect(gone)
    await world.drain()
    await world.sql('UPDATE users SET suspended_at = now() WHERE id = $1', [gone.id])
    const queued = async (at: string) => {
      world.clock.set(at)
      const run = () =>
        dispatchSyncs.handle(world.services, { data: {} }, { signal: new AbortController().signal, module: undefined })
      await Promise.all([run(), run()])
      const [{ n }] = await world.sql(`SELECT count(*)::int AS n FROM pgboss.job WHERE name = $1 AND state = 'created'`, [
        syncSlowly.name,
      ])
      await world.drain()
      return n
    }
    assert.equal(await queued('2027-01-01T00:00:07.000Z'), 0) // it was synchronised when it was connected
    assert.equal(await queued('2027-01-01T00:14:00.000Z'), 0)
    assert.equal(await queued('2027-01-01T00:15:00.000Z'), 1)
    assert.equal(await queued('2027-01-01T00:16:00.000Z'), 0)
    // The job runs each minute, a little earlier or later than the last time.
    assert.equal(await queued('2027-01-01T00:30:07.400Z'), 1)
    assert.equal(await queued('2027-01-01T00:44:07.900Z'), 0)
    assert.equal(await queued('2027-01-01T00:45:07.100Z'), 1)
    assert.equal(await queued('2027-01-01T00:46:07.100Z'), 0)
    const [{ last_error }] = (await eve.get('/email/accounts')).body.data
    assert.match(last_error, /There is no server/)
  })
})

describe('drafts', () => {
  it('are written, changed and deleted here', async () => {
    const { uuid: account_uuid } = await connect(ann)
    const draft = await ann.post('/email/messages/compose', {
      account_uuid,
      to: ['Bob <BOB@firm.test>'],
      body_html: '<b>Hi</b><script>x</script>',
    })
    assert.equal(draft.status, 201)
    const { uuid, to, body_html, snippet, status } = draft.body.data
    assert.deepEqual(
      { to, body_html, snippet, status },
      { to: [{ email: 'bob@firm.test', name: 'Bob' }], body_html: '<b>Hi</b>', snippet: 'Hi', status: 'draft' },
    )
    const changed = await ann.put(`/email/messages/${uuid}`, { to: [], subject: 'Later', is_starred: true })
    assert.deepEqual(
      {
        to: changed.body.data.to,
        subject: changed.body.data.subject,
        body_html: changed.body.data.body_html,
        is_starred: changed.body.data.is_starred,
      },
      { to: [], subject: 'Later', body_html: '<b>Hi</b>', is_starred: true },
    )
    const send = await ann.post(`/email/messages/${uuid}/send`)
    assert.deepEqual([send.status, Object.keys(send.body.errors!)], [422, ['to']])
    const wrong = await ann.put(`/email/messages/${uuid}`, { to: ['nobody'], in_reply_to: 'a b', folder_uuid: uuid })
    assert.deepEqual(Object.keys(wrong.body.errors!).sort(), ['in_reply_to', 'to.0.email'])
    assert.deepEqual(Object.keys((await ann.put(`/email/messages/${uuid}`, { folder_uuid: uuid })).body.errors!), ['folder_uuid'])
    assert.deepEqual((await ann.del(`/email/messages/${uuid}`)).body.data, { permanent: true })
    assert.equal((await ann.get(`/email/messages/${uuid}`)).status, 404)
  })

  it('are found by the beginnings of their words, whatever is asked', async () => {
    const { uuid } = await connect(ann)
    await ann.post('/email/messages/compose', {
      account_uuid: uuid,
      subject: 'Quarterly figures',
      body_text: 'See report.pdf at https://x.test/a_b',
      to: ['Zoë <zoe@y.test>'],
    })
    const search = async (q: string) => {
      const { status, body } = await ann.get(`/email/accounts/${uuid}/messages/search`, { query: { q } })
      assert.equal(status, 200, q)
      return body.meta.total
    }
    for (const q of ['quart', 'FIGURES quarterly', 'report.pdf', 'x.test/a_b', 'zoe@y.test', 'zoë'])
      assert.equal(await search(q), 1, q)
    for (const q of ['uarterly', 'quarterly nothing', '%', `'`, '\\', "a:* & !b | (c) <-> 'd", '"', '{}', '🦄'])
      assert.equal(await search(q), 0, q)
    assert.deepEqual(Object.keys((await ann.get(`/email/accounts/${uuid}/messages/search`)).body.errors!), ['q'])
  })

  it('are composed in accounts of one’s own', async () => {
    const { uuid } = await connect(ann)
    for (const account_uuid of [uuid, '00000000-0000-4000-8000-000000000000'])
      assert.deepEqual(Object.keys((await bob.post('/email/messages/compose', { account_uuid })).body.errors!), ['account_uuid'])
  })

  it('smuggle no header', async () => {
    const { uuid: account_uuid } = await connect(ann)
    const { data } = (
      await ann.post('/email/messages/compose', {
        account_uuid,
        subject: 'a\r\nBcc: x@x.test',
        to: [{ email: 'a@x.test', name: 'A\r\nBcc: y@x.test' }],
      })
    ).body
    assert.deepEqual([data.subject, data.to[0].name], ['a Bcc: x@x.test', 'A Bcc: y@x.test'])
  })
})

describe('links', () => {
  it('need that one may see the target, and show no more (EML-30)', async () => {
    const { uuid: account_uuid } = await connect(ann)
    const { uuid } = (await ann.post('/email/messages/compose', { account_uuid })).body.data
    const lead = (await owner.post('/leads', { name: 'Lead', lead_type: 'direct' })).body.data.id
    const contact = (await owner.post('/contacts', { name: 'Contact', assigned_to: ann.id })).body.data.id
    const link = (linkable_type: string, linkable_id: number) =>
      ann.post(`/email/messages/${uuid}/link`, { linkable_type, linkable_id })
    for (const { type, id } of [
      { type: 'lead', id: lead },
      { type: 'contact', id: 999 },
      { type: 'company', id: 1 },
    ] as const) {
      const { status, body } = await link(type, id)
      assert.deepEqual([status, Object.keys(body.errors!)], [422, ['linkable_id']], type)
    }
    await link('contact', contact)
    const twice = await link('contact', contact)
    assert.deepEqual(twice.body.data.links, [{ linkable_type: 'contact', linkable_id: contact, label: 'Contact' }])
    await owner.put(`/contacts/${contact}`, { assigned_to: bob.id })
    assert.deepEqual((await ann.get(`/email/messages/${uuid}`)).body.data.links, [])
    assert.equal((await ann.del(`/email/messages/${uuid}/link`)).status, 200)
    await owner.put(`/contacts/${contact}`, { assigned_to: ann.id })
    assert.deepEqual((await ann.get(`/email/messages/${uuid}`)).body.data.links, [])
  })
})

describe('labels', () => {
  it('are named once in a mailbox, and are of the message’s mailbox (EML-13, EML-16)', async () => {
    const [first, second] = [await connect(ann), await connect(ann)]
    const make = async (of: { uuid: string }, name: string) =>
      ann.post(`/email/accounts/${of.uuid}/labels`, { name, color: '#AABBCC' })
    const label = (await make(first, 'Urgent')).body.data
    assert.deepEqual(Object.keys((await make(first, 'URGENT')).body.errors!), ['name'])
    const foreign = (await make(second, 'Urgent')).body.data
    const { uuid } = (await ann.post('/email/messages/compose', { account_uuid: first.uuid })).body.data
    const set = (body: object) => ann.put(`/email/messages/${uuid}/labels`, body)
    for (const body of [{}, { label_uuids: [foreign.uuid] }, { label_uuids: ['x'] }])
      assert.match(Object.keys((await set(body)).body.errors!)[0]!, /^label_uuids/)
    assert.deepEqual((await set({ label_uuids: [label.uuid] })).body.data.labels, [
      { uuid: label.uuid, name: 'Urgent', color: '#AABBCC' },
    ])
    assert.equal((await ann.get(`/email/labels/${label.uuid}/messages`)).body.meta.total, 1)
    assert.deepEqual((await set({ label_uuids: [] })).body.data.labels, [])
    assert.equal((await bob.get(`/email/labels/${label.uuid}`)).status, 404)
    assert.equal((await ann.del(`/email/labels/${label.uuid}`)).status, 200)
  })
})

describe('templates', () => {
  it('are shared, private, and edited by their creator and the owner (EML-32, EML-34, EML-35, EML-36, EML-38)', async () => {
    const make = async (person: Person, name: string, more: object = {}) =>
      (await person.post('/email/templates', { name, subject: 'S', body_html: '<p>B</p>', ...more })).body.data
    const [shared, mine, inactive] = [
      await make(ann, 'Shared'),
      await make(ann, 'Private', { is_shared: false }),
      await make(ann, 'Inactive', { is_active: false }),
    ]
    assert.deepEqual(
      { is_shared: shared.is_shared, user: shared.user.id, can_edit: shared.can_edit, can_delete: shared.can_delete },
      { is_shared: true, user: ann.id, can_edit: true, can_delete: true },
    )
    const names = async (person: Person, query = {}) =>
      (await person.get('/email/templates', { query: { sort: 'name', direction: 'asc', ...query } })).body.data.map(
        ({ name }: any) => name,
      )
    assert.deepEqual(await names(bob), ['Inactive', 'Shared'])
    assert.deepEqual(await names(bob, { for_compose: 1 }), ['Shared'])
    assert.deepEqual(await names(owner), ['Inactive', 'Private', 'Shared'])
    assert.deepEqual(await names(owner, { for_compose: 1 }), ['Shared'])
    assert.deepEqual(await names(ann, { for_compose: 1 }), ['Private', 'Shared'])
    assert.equal((await bob.get(`/email/templates/${mine.uuid}`)).status, 404)
    assert.equal((await bob.get(`/email/templates/${shared.uuid}`)).body.data.can_edit, false)
    assert.equal((await bob.put(`/email/templates/${shared.uuid}`, { name: 'x' })).status, 403)
    assert.equal((await bob.del(`/email/templates/${shared.uuid}`)).status, 403)
    const render = (person: Person, { uuid }: { uuid: string }) =>
      person.post(`/email/templates/${uuid}/render`, { variables: {} })
    assert.deepEqual(
      [(await render(bob, inactive)).status, (await render(ann, inactive)).status, (await render(owner, inactive)).status],
      [403, 200, 200],
    )
    assert.deepEqual([(await render(bob, mine)).status, (await render(owner, mine)).status], [404, 200])
    assert.equal((await owner.put(`/email/templates/${shared.uuid}`, { name: 'Theirs' })).status, 200)
    assert.equal((await owner.del(`/email/templates/${shared.uuid}`)).status, 200)
  })

  it('are filled in once, as text (EML-37)', async () => {
    const body_html = '<p>Dear {{ name }}, {{unknown}} <a href="{{link}}">here</a></p><script>x</script>'
    const { uuid } = (
      await ann.post('/email/templates', { name: 'T', subject: 'For {{name}}', body_html, variables: ['name', 'link'] })
    ).body.data
    const render = async (variables: object) => (await ann.post(`/email/templates/${uuid}/render`, { variables })).body.data
    const filled = await render({ name: '<b>{{link}}</b>', link: 'https://x.test/?a=1&b=2' })
    assert.equal(filled.subject, 'For <b>{{link}}</b>')
    assert.match(
      filled.body_html,
      /^<p>Dear &lt;b&gt;\{\{link\}\}&lt;\/b&gt;, \{\{unknown\}\} <a href="https:\/\/x.test\/\?a=1&amp;b=2"/,
    )
    assert.doesNotMatch((await render({ link: 'javascript:alert(1)' })).body_html, /javascript/)
    assert.deepEqual(Object.keys((await ann.post(`/email/templates/${uuid}/render`, { variables: [] })).body.errors!), [
      'variables',
    ])
  })
})

describe('signatures', () => {
  it('have one default, also where several become it at once', async () => {
    const person = await firm.user(['email.view', 'email.signatures.manage'])
    const made = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => person.post('/email/signatures', { name, body_html: '<p>x</p>' })),
    )
    const uuids = made.map(({ body }) => body.data.uuid)
    const defaults = async () =>
      (await person.get('/email/signatures')).body.data.filter(({ is_default }: any) => is_default).length
    await Promise.all(uuids.map((uuid) => person.put(`/email/signatures/${uuid}`, { is_default: true })))
    assert.equal(await defaults(), 1)
    await Promise.all(
      ['e', 'f'].map((name) => person.post('/email/signatures', { name, body_html: '<p>x</p>', is_default: true })),
    )
    assert.equal(await defaults(), 1)
  })

  it('are personal, with one default for each account', async () => {
    const { uuid: account_uuid } = await connect(bob)
    const make = async (more: object) =>
      (await bob.post('/email/signatures', { name: 'S', body_html: '<p>Bob</p>', ...more })).body.data
    const [first, second, ofAccount] = [
      await make({ is_default: true }),
      await make({ is_default: true }),
      await make({ is_default: true, account_uuid }),
    ]
    const defaults = (await bob.get('/email/signatures')).body.data.flatMap(({ uuid, is_default }: any) =>
      is_default ? [uuid] : [],
    )
    assert.deepEqual(defaults.sort(), [second.uuid, ofAccount.uuid].sort())
    assert.equal(ofAccount.account_uuid, account_uuid)
    assert.equal((await owner.get(`/email/signatures/${first.uuid}`)).status, 404)
    const { uuid: foreign } = await connect(ann)
    assert.deepEqual(Object.keys((await bob.put(`/email/signatures/${first.uuid}`, { account_uuid: foreign })).body.errors!), [
      'account_uuid',
    ])
  })
})
