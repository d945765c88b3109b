import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const documents = ['invoices', 'payments', 'credit-notes', 'quotations', 'estimates', 'contracts'] as const
let firm: Workspace
let clerk: Person

before(async () => {
  firm = await world.workspace({ modules: [...documents, 'leads', 'contacts', 'purchase-orders', 'vendors'] })
  clerk = await firm.user([...documents.map((module) => `${module}.view`), 'leads.view'], 'Clerk')
})

const types = async (who: Person) => (await who.get('/notifications')).body.data.map(({ type }: { type: string }) => type)
const forget = () => world.sql('DELETE FROM notifications')

async function post(path: string, body?: unknown) {
  const reply = await firm.owner.post(path, body)
  assert.ok(reply.status < 300, `${path}: ${JSON.stringify(reply.body)}`)
  return reply.body.data
}
const line = { name: 'Work', description: 'Work', quantity: 1, unit_price: 10 }
const document = (more = {}) => ({ title: 'Work', currency: 'USD', lines: [line], assigned_to: clerk.id, ...more })
async function sentInvoice() {
  const invoice = await post('/invoices', document({ issue_date: '2026-01-01', due_date: '2026-02-01' }))
  await post(`/invoices/${invoice.id}/send`)
  return invoice.id as number
}

describe('whoever a document is given to', () => {
  const stories: { type: string; story: () => Promise<unknown> }[] = [
    {
      type: 'quotation.accepted',
      story: async () => {
        const { id } = await post('/quotations', document())
        await post(`/quotations/${id}/send`)
        await post(`/quotations/${id}/accept`)
      },
    },
    {
      type: 'quotation.rejected',
      story: async () => {
        const { id } = await post('/quotations', document())
        await post(`/quotations/${id}/send`)
        await post(`/quotations/${id}/reject`, { reason: 'Too dear' })
      },
    },
    {
      type: 'estimate.declined',
      story: async () => {
        const { id } = await post('/estimates', document())
        await post(`/estimates/${id}/send`)
        await post(`/estimates/${id}/decline`)
      },
    },
    {
      type: 'contract.signed',
      story: async () => {
        const { id } = await post('/contracts', { title: 'Care', body: 'We care.', assigned_to: clerk.id })
        await post(`/contracts/${id}/send`)
        const token = (await post(`/contracts/${id}/acceptance-link`)).url.split('/').at(-1)
        const signed = await world.anonymous.post(`/public/contracts/accept/${token}`, {
          ...{ signer_name: 'Nora', signer_email: 'nora@example.com', accept_terms: true },
        })
        assert.equal(signed.status, 200, JSON.stringify(signed.body))
      },
    },
    { type: 'invoice.voided', story: async () => post(`/invoices/${await sentInvoice()}/void`) },
    {
      type: 'payment.voided',
      story: async () => {
        const allocations = [{ invoice_id: await sentInvoice(), amount: 4 }]
        const { id } = await post('/payments', { amount: 4, currency: 'USD', method: 'cash', allocations })
        await post(`/payments/${id}/void`)
      },
    },
    {
      type: 'credit_note.applied',
      story: async () => {
        const { id } = await post('/credit-notes', { title: 'Back', currency: 'USD', lines: [line] })
        await post(`/credit-notes/${id}/issue`)
        await post(`/credit-notes/${id}/apply`, { invoice_id: await sentInvoice(), amount: 4 })
      },
    },
  ]
  for (const { type, story } of stories)
    it(`learns of ${type}`, async () => {
      await forget()
      await story()
      assert.equal((await types(clerk))[0], type)
      assert.deepEqual(await types(firm.owner), [])
    })
})

describe('a purchase order', () => {
  const may = ['view', 'create', 'send', 'receive', 'cancel'].map((verb) => `purchase-orders.${verb}`)
  const people = (names: string[], permissions = may) => Promise.all(names.map((name) => firm.user(permissions, name)))
  const sentOrder = async (by: Person, assigned_to: number | null) => {
    const { id: vendor_id } = await post('/vendors', { name: 'Nordwind' })
    const lines = [{ description: 'Desk', quantity: 1, unit_price: 10 }]
    const { status, body, raw } = await by.post('/purchase-orders', { vendor_id, title: 'Desks', lines })
    assert.equal(status, 201, raw.toString())
    const { id } = body.data
    if (assigned_to !== by.id) await post(`/purchase-orders/${id}/assign`, { assigned_to })
    await post(`/purchase-orders/${id}/send`)
    return id as number
  }

  for (const { type, verb, body } of [
    { type: 'purchase_order.received', verb: 'receive', body: { status: 'received' } },
    { type: 'purchase_order.cancelled', verb: 'cancel', body: undefined },
  ] as const)
    it(`that is told as ${type}: once to its assignee and its creator, not to whoever did it`, async () => {
      const [buyer, keeper] = (await people(['Buyer', 'Keeper'])) as [Person, Person]
      const shared = await sentOrder(buyer, keeper.id)
      const own = await sentOrder(buyer, buyer.id)
      await forget()
      await post(`/purchase-orders/${shared}/${verb}`, body)
      const [told] = (await keeper.get('/notifications')).body.data
      assert.partialDeepStrictEqual(told.data, {
        type,
        entity_type: 'purchase_order',
        entity_id: shared,
        actor_id: firm.owner.id,
      })
      assert.deepEqual([await types(keeper), await types(firm.owner)], [[type], []])
      const before = await types(buyer)
      assert.equal((await buyer.post(`/purchase-orders/${own}/${verb}`, body)).status, 200)
      assert.deepEqual(await types(buyer), before)
    })

  it('that came in part, or whose creator may not see it any more, is no news', async () => {
    const [buyer] = (await people(['Buyer'])) as [Person]
    const id = await sentOrder(buyer, buyer.id)
    await forget()
    await post(`/purchase-orders/${id}/receive`, { status: 'partially_received' })
    assert.deepEqual(await types(buyer), [])
    await world.sql(`UPDATE roles SET permissions = '{}' WHERE id IN (SELECT role_id FROM user_roles WHERE user_id = $1)`, [
      buyer.id,
    ])
    await post(`/purchase-orders/${id}/receive`, { status: 'received' })
    const [{ n }] = await world.sql('SELECT count(*)::int AS n FROM notifications')
    assert.equal(n, 0)
  })
})

describe('an import', () => {
  const importOf = async (csv: string, options?: object) => {
    const { uuid } = (await firm.owner.post('/leads/imports', { file: new File([csv], 'leads.csv') })).body.data.import
    const mapping = { name: 'Name', email: 'Email', ...(csv.includes('Who') ? { assigned_to: 'Who' } : {}) }
    await firm.owner.put(`/leads/imports/${uuid}`, { mapping })
    if (options) await firm.owner.put(`/leads/imports/${uuid}/options`, options)
    await post(`/leads/imports/${uuid}/run`)
    await world.drain()
    return uuid as string
  }
  const told = async (who: Person) => (await who.get('/notifications')).body.data.map((one: any) => one.data)

  it('is told once to each: the leads that they were given, and its figures to who ran it', async () => {
    await forget()
    const rows = Array.from({ length: 6 }, (_, n) => `Lead ${n},l${n}@import.test,${clerk.email}`)
    const uuid = await importOf(`Name,Email,Who\n${rows.join('\n')}\nOwn,own@import.test,`)
    const [digest, ...more] = await told(clerk)
    assert.deepEqual(more, [])
    assert.partialDeepStrictEqual(digest, {
      type: 'lead.assigned.digest',
      source: 'import',
      count: 6,
      batch_id: uuid,
      dedupe_key: `lead.assigned.digest:${uuid}:${clerk.id}`,
    })
    const [own, ...others] = await told(firm.owner)
    assert.deepEqual(others, [])
    assert.deepEqual(
      { type: own.type, count: own.count, imported: own.metadata.imported, batch_id: own.batch_id },
      { type: 'lead.imported.digest', count: 7, imported: 7, batch_id: uuid },
    )
    assert.equal((await firm.owner.get('/leads', { query: own.route.filters })).body.meta.total, 7)
    await forget()
    await importOf('Name,Email,Who\nSingle,single@import.test,')
    const [one] = await told(firm.owner)
    const { data } = (await firm.owner.get('/leads', { query: { search: 'single@import.test' } })).body
    assert.deepEqual(
      { type: one.type, delivery: one.delivery, entity_id: one.entity_id, imported: one.metadata.imported },
      { type: 'lead.imported', delivery: 'immediate', entity_id: data[0].id, imported: 1 },
    )
  })

  it('tells assignee and importer of leads of the same day that it found again', async () => {
    await forget()
    await importOf('Name,Email\nAgain,l1@import.test\nAgain,l2@import.test', { duplicate_mode: 'skip' })
    const [forClerk] = await told(clerk)
    assert.partialDeepStrictEqual(forClerk, { type: 'lead.duplicate_detected.digest', count: 2, entity_id: null })
    assert.deepEqual((await types(firm.owner)).sort(), ['lead.duplicate_detected.digest', 'lead.imported.digest'])
    await forget()
    await importOf('Name,Email\nAgain,l3@import.test', { duplicate_mode: 'skip' })
    const [single] = await told(clerk)
    assert.deepEqual([single.type, single.delivery, single.route.action], ['lead.duplicate_detected', 'immediate', 'show'])
  })
})
