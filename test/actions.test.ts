/**
 * Compares `GET /:id/actions` for every record of the demo workspace with the routes' replies: each action is sent as a dry run.
 */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { fillDemo } from '#kernel/demo/parts.ts'
import { openApi } from '#kernel/http/openapi.ts'
import { type Client, type Reply, startTest, type Workspace } from './harness.ts'

/** Errors that can't be predicted: checked by other modules on an event, or dependent on the body. */
const KNOWN_WHEN_DONE = [/^deleteWarehouse: There is stock in this warehouse/]

/** Bodies of actions whose validation would otherwise fail before the record is checked. */
const BODIES: Record<string, object> = { email: { to: ['ann@nordwind.example'], subject: 'Yours', message: 'Here it is.' } }

interface Action {
  key: string
  method: string
  path: string
  allowed: boolean
  reason: { code: string; message: string } | null
  choices: { value: string; allowed: boolean }[] | null
}

const world = await startTest()
let firm: Workspace
let document: { paths: Record<string, unknown> }
before(async () => {
  firm = await world.workspace()
  await fillDemo(world.services, firm.id, { records: 12, seed: 1 })
  document = JSON.parse(JSON.stringify(await openApi(world.services.modules, 'workspace', '')))
})

it('is told as the routes answer', async () => {
  const wrong = new Set<string>()
  let tried = 0
  for (const template of Object.keys(document.paths)) {
    if (!/^[^{]*\{\w+\}\/actions$/.test(template)) continue
    const list = template.slice(0, template.indexOf('/{'))
    for (const row of await differing(firm.owner, list)) {
      const key = String(template.includes('{uuid}') ? row.uuid : row.id)
      await world.sql('DELETE FROM rate_limits')
      const { body } = await firm.owner.get(`${list}/${key}/actions`)
      assert.ok(body.data, `${list}/${key}: ${JSON.stringify(body)}`)
      for (const action of body.data as Action[]) {
        if (!['POST', 'DELETE'].includes(action.method)) continue
        const reply = await dryRun(action, key)
        const said = `${action.key}: ${Object.values(reply.body.errors ?? {})[0] ?? reply.body.message}`
        tried++
        if (isAsTold(action, reply) || KNOWN_WHEN_DONE.some((known) => known.test(said))) continue
        wrong.add(`${said} (${row.status ?? key}: told as ${action.reason?.message ?? 'possible'})`)
      }
    }
  }
  assert.deepEqual([...wrong], [])
  assert.ok(tried > 300, `only ${tried} were tried`)
})

describe('what a route refuses for more than the state', () => {
  beforeEach(() => world.sql('DELETE FROM rate_limits'))

  it('is told of stock that is not there', async () => {
    const main = await made('/warehouses', { name: 'North', code: 'NORTH' })
    const annex = await made('/warehouses', { name: 'South', code: 'SOUTH' })
    const products = [
      await made('/products', { name: 'Screw', sku: 'SCREW' }),
      await made('/products', { name: 'Nail', sku: 'NAIL' }),
    ]
    const bring = (product_id: number) =>
      made('/inventory/stock/adjust', { product_id, warehouse_id: main, type: 'in', quantity: 5 })
    await bring(products[1]!)
    const id = await made('/inventory/transfers', {
      from_warehouse_id: main,
      to_warehouse_id: annex,
      lines: products.map((product_id, n) => ({ product_id, quantity: 5 + n })),
    })
    const at = `/inventory/transfers/${id}`
    await refused(at, 'completeInventoryTransfer', ['status'])
    await made(`${at}/dispatch`)
    await refused(at, 'completeInventoryTransfer', ['lines.0.quantity', 'lines.1.quantity'])
    for (const product_id of products) await bring(product_id)
    assert.equal((await actionOf(at, 'completeInventoryTransfer')).allowed, true)
    assert.equal((await firm.owner.put(`/warehouses/${annex}`, { is_active: false })).status, 200)
    await refused(at, 'completeInventoryTransfer', ['to_warehouse_id'])
  })

  it('is told of somebody more powerful', async () => {
    const by = await firm.user(['users.view', 'users.update', 'users.suspend'])
    await refused(`/users/${firm.owner.id}`, 'updateUser', ['user'], { by, body: { name: 'Taken' } })
    await refused(`/users/${firm.owner.id}`, 'unsuspendUser', ['user'], { by })
    await refused(`/users/${firm.owner.id}`, 'verifyUserEmail', ['user'], { by })
  })

  it('is told of documents that are no longer valid', async () => {
    const today = Temporal.PlainDate.from(world.clock.now().slice(0, 10))
    const last = today.toString()
    const contact_id = await made('/contacts', { name: 'Ann', email: 'ann@nordwind.example' })
    const lines = [{ name: 'Desk', quantity: 1, unit_price: 10 }]
    const quotation = `/quotations/${await made('/quotations', { title: 'Desks', contact_id, valid_until: last, lines })}`
    const invoice = `/invoices/${await made('/invoices', { title: 'Desks', contact_id, lines })}`
    const contract = async () =>
      `/contracts/${await made('/contracts', { title: 'Care', contact_id, body: 'We care.', ends_on: last })}`
    const [draft, sent] = [await contract(), await contract()]
    await made(`${quotation}/send`)
    await made(`${sent}/send`)
    const mail = { body: BODIES.email }
    await refused(invoice, 'emailInvoice', ['status'], mail)
    world.clock.set(`${today.add({ days: 2 })}T12:00:00.000Z`)
    await refused(quotation, 'emailQuotation', ['status'], mail)
    await refused(sent, 'emailContract', ['status'], mail)
    await refused(sent, 'sendContract', ['status'])
    await refused(draft, 'sendContract', ['ends_on'])
    const { choices } = await actionOf(draft, 'changeContractStatus')
    assert.equal(choices!.find(({ value }) => value === 'sent')!.allowed, false)
    const byStatus = await firm.owner.post(`${draft}/status`, { status: 'sent' })
    assert.deepEqual([byStatus.status, Object.keys(byStatus.body.errors!)], [422, ['ends_on']])
  })
})

/** Posts and returns the id in the reply. */
async function made(path: string, sent: object = {}): Promise<number> {
  const { status, body } = await firm.owner.post(path, sent)
  assert.ok(status < 300, `${path}: ${JSON.stringify(body)}`)
  return body.data.id
}

async function actionOf(at: string, key: string, by: Client = firm.owner): Promise<Action> {
  const { body } = await by.get(`${at}/actions`)
  return (body.data as Action[]).find((action) => action.key === key)!
}

/** Asserts a 422 on these fields, and that the action is reported as unavailable with the same message. */
async function refused(
  at: string,
  key: string,
  fields: string[],
  { by = firm.owner as Client, body = {} as object | undefined } = {},
) {
  const { method, path, allowed, reason } = await actionOf(at, key, by)
  const target = at + path.slice(path.indexOf('}') + 1)
  const reply = method === 'PUT' ? await by.put(target, body) : await by.post(target, body)
  const errors = reply.body.errors ?? {}
  assert.deepEqual([reply.status, Object.keys(errors)], [422, fields], `${at} ${key}`)
  assert.deepEqual([allowed, reason], [false, { code: reply.body.code, message: errors[fields[0]!]![0] }], `${at} ${key}`)
}

/** Returns two rows of each status among the first hundred of a list. */
async function differing(by: Client, list: string): Promise<Record<string, any>[]> {
  const { body } = await by.get(list, { query: { per_page: 100 } })
  const byState = Object.values(Object.groupBy(body.data as Record<string, any>[], ({ status }) => String(status)))
  return byState.flatMap((rows) => rows!.slice(0, 2))
}

function dryRun({ method, path }: Action, key: string): Promise<Reply> {
  const at = path.replace(/\{\w+\}/, key)
  const options = { headers: { 'dry-run': 'true' } }
  return method === 'DELETE' ? firm.owner.del(at, options) : firm.owner.post(at, BODIES[path.split('/').at(-1)!] ?? {}, options)
}

/** Errors about missing input don't depend on the record. */
function isAsTold({ allowed, reason }: Action, { status, body }: Reply) {
  const lacksWhatIsSent = /is required|must name|must have|choose|at least/i.test(JSON.stringify(body.errors ?? ''))
  return allowed ? status < 400 || lacksWhatIsSent : status >= 400 && (lacksWhatIsSent || body.code === reason!.code)
}
