/** The feed of events: each action once, in order, for users who may see its record. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Client, type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const START = Date.parse('2027-03-01T09:00:00.000Z')
const DAY = 86_400_000
let acme: Workspace
let other: Workspace

before(async () => {
  world.clock.set(new Date(START).toISOString())
  acme = await world.workspace({ modules: ['vendors', 'purchase-orders', 'tasks', 'contacts'], name: 'Acme' })
  other = await world.workspace({ modules: ['vendors'], name: 'Other' })
})

const read = async (by: Client, query: Record<string, string | number> = {}) => {
  const { status, body } = await by.get('/events', { query })
  assert.equal(status, 200, body.message)
  return body as { data: any[]; meta: { next_after: number; has_more: boolean } }
}
/** Returns all events after the given one. */
async function readOn(by: Client, after = 0, query: object = {}) {
  const all = []
  for (let more = true; more; ) {
    const { data, meta } = await read(by, { after, limit: 7, ...query })
    all.push(...data)
    more = meta.has_more
    after = meta.next_after
  }
  return { all, after }
}
const here = async () => (await readOn(acme.owner)).after
const typesOf = (events: { type: string }[]) => events.map(({ type }) => type)
const made = async (reply: Promise<Reply>) => {
  const { status, body } = await reply
  assert.ok([200, 201].includes(status), body.message)
  return body.data
}

describe('the feed', () => {
  it('tells what happened to a record, by whom, and what it changed', async () => {
    const after = await here()
    const { id } = await made(acme.owner.post('/vendors', { name: 'Bolts', email: 'old@bolts.test' }))
    await made(acme.owner.put(`/vendors/${id}`, { name: 'Bolts and nuts', email: 'new@bolts.test' }))
    await made(acme.owner.del(`/vendors/${id}`))
    await made(acme.owner.post(`/vendors/${id}/restore`))
    const { all } = await readOn(acme.owner, after)
    assert.deepEqual(typesOf(all), ['vendor.created', 'vendor.updated', 'vendor.deleted', 'vendor.restored'])
    assert.deepEqual(
      all.map((event) => event.id),
      [1, 2, 3, 4].map((n) => after + n),
      'without gaps',
    )
    const { occurred_at, actor, subject, data, changed } = all[1]
    assert.deepEqual([occurred_at, actor.id], [new Date(START).toISOString(), acme.owner.id])
    assert.deepEqual(subject, { type: 'vendor', id, label: 'Bolts and nuts' })
    assert.deepEqual(data, { fields: ['name', 'email'] })
    assert.deepEqual(changed, { name: ['Bolts', 'Bolts and nuts'], email: ['old@bolts.test', 'new@bolts.test'] })
    const { body } = await acme.owner.get(`/vendors/${id}`)
    assert.equal(body.data.name, 'Bolts and nuts')
    const history = await acme.owner.get(`/vendors/${id}/timeline`)
    assert.deepEqual([history.status, history.body.meta!.total], [200, 4])
    assert.deepEqual(
      history.body.data.map((entry: any) => [entry.type, entry.changed]),
      [
        ['restored', null],
        ['deleted', null],
        ['updated', changed],
        ['created', null],
      ],
    )
  })

  it('names a move by the state that it leads to, and is asked for types', async () => {
    const after = await here()
    const vendor = await made(acme.owner.post('/vendors', { name: 'Steel' }))
    const lines = [{ description: 'Sheet', quantity: 2, unit_price: 3.5, tax_rate: 0 }]
    const order = await made(
      acme.owner.post('/purchase-orders', { vendor_id: vendor.id, title: 'Sheets', currency: 'USD', lines }),
    )
    await made(acme.owner.post(`/purchase-orders/${order.id}/send`))
    const ofOrders = await readOn(acme.owner, after, { types: 'purchase_order.sent' })
    assert.deepEqual(typesOf(ofOrders.all), ['purchase_order.sent'])
    assert.deepEqual(ofOrders.all[0].changed.status, ['draft', 'sent'])
    assert.deepEqual(ofOrders.all[0].subject, { type: 'purchase_order', id: order.id, label: order.number })
    const every = await readOn(acme.owner, after, { types: 'purchase_order.*, vendor.created' })
    assert.deepEqual(typesOf(every.all), ['vendor.created', 'purchase_order.created', 'purchase_order.sent'])
  })

  it('refuses types that there are none of, and takes those of modules that are not installed', async () => {
    for (const types of ['contact.nope', 'nobody.*', 'vendor.created,vendor.ceated']) {
      const { status, body } = await acme.owner.get('/events', { query: { types } })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, ['types']], types)
      assert.match(body.errors!.types![0]!, new RegExp(types.split(',').at(-1)!.replace('*', '\\*')))
    }
    for (const types of ['invoice.paid', 'lead.*', 'purchase_order.status_changed', 'vendor.force_deleted'])
      assert.equal((await acme.owner.get('/events', { query: { types } })).status, 200, types)
  })

  it('shows lines as they were and as they are, up to 20,000 characters of them', async () => {
    const line = (description: string, quantity: number) => ({ description, quantity, unit_price: 3.5, tax_rate: 0 })
    const vendor = await made(acme.owner.post('/vendors', { name: 'Lines' }))
    const draft = { title: 'Sheets', currency: 'USD', vendor_id: vendor.id, lines: [line('Sheet', 2)] }
    const { id } = await made(acme.owner.post('/purchase-orders', draft))
    const after = await here()
    const changes = async (lines: object[]) => {
      await made(acme.owner.put(`/purchase-orders/${id}`, { lines }))
      return (await acme.owner.get(`/purchase-orders/${id}/timeline`)).body.data[0]
    }
    const entry = await changes([line('Sheet', 3), line('Rod', 1)])
    assert.deepEqual(entry.properties.fields.toSorted(), ['lines', 'subtotal', 'total'])
    const [was, is] = entry.changed.lines.map((lines: any[]) =>
      lines.map(({ description, quantity, line_total }) => [description, quantity, line_total]),
    )
    assert.deepEqual(was, [['Sheet', 2, 7]])
    assert.deepEqual(is, [
      ['Sheet', 3, 10.5],
      ['Rod', 1, 3.5],
    ])
    const [event] = (await readOn(acme.owner, after)).all
    assert.deepEqual([event.type, event.changed], ['purchase_order.updated', entry.changed])
    const long = await changes(Array.from({ length: 200 }, (_, n) => line(`Sheet ${n}`, 1)))
    assert.deepEqual([long.properties.fields.includes('lines'), long.changed.lines], [true, undefined])
    const body = (await acme.owner.get(`/purchase-orders/${id}`)).body.data
    assert.deepEqual([body.lines.length, body.total], [200, 700])
  })

  it('keeps a tombstone of what was deleted for good, and nothing else', async () => {
    const after = await here()
    const { id } = await made(acme.owner.post('/vendors', { name: 'Short-lived' }))
    await made(acme.owner.put(`/vendors/${id}`, { name: 'Was short-lived' }))
    await made(acme.owner.del(`/vendors/${id}`))
    await made(acme.owner.del(`/vendors/${id}/force`))
    const { all } = await readOn(acme.owner, after)
    assert.deepEqual(typesOf(all), ['vendor.force_deleted'])
    assert.deepEqual(all[0].subject, { type: 'vendor', id, label: 'Was short-lived' })
    assert.doesNotMatch(JSON.stringify(all), /"Short-lived"/)
  })

  it('has types that the API document tells to those who receive them', async () => {
    const { webhooks } = (await world.anonymous.get('/openapi.json')).body as any
    const { all } = await readOn(acme.owner)
    const told = new Set(typesOf(all))
    assert.ok(told.size > 6, [...told].join())
    assert.deepEqual(
      [...told].filter((type) => !webhooks[type]),
      [],
    )
    const { post } = webhooks['purchase_order.sent']
    assert.deepEqual(
      [post.operationId, post.tags, post.summary],
      ['onPurchaseOrderSent', ['Purchase orders'], 'Purchase order: sent'],
    )
    assert.ok(!webhooks['vendor.assigned'] && !webhooks['vendor.status_changed'])
  })

  it('tells everybody what they may see: by permission, by assignment, by workspace', async () => {
    const after = await here()
    const clerk = await acme.user(['tasks.view', 'tasks.create'])
    const mine = await made(acme.owner.post('/tasks', { title: 'Mine', assigned_to: clerk.id }))
    await made(acme.owner.post('/tasks', { title: 'Theirs' }))
    await made(acme.owner.post('/vendors', { name: 'Secret vendor' }))
    await made(other.owner.post('/vendors', { name: 'Neighbour' }))
    const { all } = await readOn(clerk, after)
    assert.deepEqual(
      all.map(({ type, subject }) => [type, subject.id]),
      [['task.created', mine.id]],
    )
    assert.deepEqual((await readOn(await acme.user([]), after)).all, [])
    assert.doesNotMatch(JSON.stringify(await readOn(other.owner)), /Secret|Mine|Theirs/)
    const key = await made(acme.owner.post('/api-keys', { name: 'Follows vendors', scopes: ['vendors.view'] }))
    world.secret(key.key)
    assert.deepEqual(typesOf((await readOn(world.tenant(key.key), after)).all), ['vendor.created'])
  })

  it('gives late commits a later place: nobody misses one', async () => {
    const after = await here()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let isWritten = () => {}
    const written = new Promise<void>((resolve) => (isWritten = resolve))
    const late = acme.inside(async (ctx) => {
      const { writeActivity } = await import('#kernel/records/timeline.ts')
      await writeActivity(ctx, { table: 'vendors', id: 1, type: 'late' })
      isWritten()
      await held
    })
    await written
    await made(acme.owner.post('/vendors', { name: 'Early' }))
    const first = await readOn(acme.owner, after)
    assert.deepEqual(typesOf(first.all), ['vendor.created'])
    release()
    await late
    assert.deepEqual(typesOf((await readOn(acme.owner, first.after)).all), ['vendor.late'])
  })

  it('is read by many while many write: each deed once and in one order', async () => {
    const after = await here()
    const writing = Promise.all(Array.from({ length: 40 }, (_, n) => acme.owner.post('/vendors', { name: `Raced ${n}` })))
    const readers = Array.from({ length: 4 }, async () => {
      const all: any[] = []
      let from = after
      for (let n = 0; n < 10; n++) {
        const next = await readOn(acme.owner, from)
        all.push(...next.all)
        from = next.after
      }
      await writing
      all.push(...(await readOn(acme.owner, from)).all)
      return all.map(({ id, subject }) => `${id} ${subject.id}`)
    })
    const [first, ...others] = await Promise.all(readers)
    assert.equal(first!.length, 40)
    for (const one of others) assert.deepEqual(one, first)
  })

  it('names what is wrong with a question', async () => {
    for (const [name, value] of [
      ['after', 'x'],
      ['after', '-1'],
      ['limit', 'all'],
      ['types', 'nonsense'],
      ['types', 'vendor.created;drop'],
    ] as const) {
      const { status, body } = await acme.owner.get('/events', { query: { [name]: value } })
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [name]], body.message)
    }
    assert.equal((await world.anonymous.get('/events')).status, 401)
  })

  it('keeps events for thirty days; behind that one reads the lists', async () => {
    const first = (await read(acme.owner, { limit: 1 })).data[0]
    world.clock.set(new Date(START + 31 * DAY).toISOString())
    try {
      await made(acme.owner.post('/vendors', { name: 'Of today' }))
      const { status, body } = await acme.owner.get('/events', { query: { after: first.id } })
      assert.deepEqual([status, body.code], [410, 'GONE'])
      assert.deepEqual(typesOf((await read(acme.owner)).data), ['vendor.created'])
    } finally {
      world.clock.set(new Date(START).toISOString())
    }
  })
})

describe('a timeline', () => {
  it('shows what an update changed', async () => {
    const { id } = await made(
      acme.owner.post('/purchase-orders', {
        title: 'Before',
        currency: 'USD',
        lines: [],
        vendor_id: (await made(acme.owner.post('/vendors', { name: 'V' }))).id,
      }),
    )
    await made(acme.owner.put(`/purchase-orders/${id}`, { title: 'After', notes: `x${'😀'.repeat(5000)}` }))
    const [entry] = (await acme.owner.get(`/purchase-orders/${id}/timeline`)).body.data
    assert.deepEqual(entry.changed.title, ['Before', 'After'])
    assert.ok(entry.changed.notes[1].length <= 1001, 'long texts are kept as far')
  })
})
