/** Fairness: excessive requests delay only their sender. Also replies when the database or the disk fails. */
// CI stage: bounds
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DEFECT, failureOf } from '#kernel/database/failures.ts'
import { sharedStreamPdf } from './fixtures/shared-stream-pdf.ts'
import { type Reply, startTest, type Workspace, type World } from './harness.ts'

const LOCK_MS = 1500
const world = await startTest({ env: { DATABASE_LOCK_TIMEOUT: String(LOCK_MS), DATABASE_CONNECTION_TIMEOUT: '2500' } })
const impatient = await startTest({ env: { DATABASE_STATEMENT_TIMEOUT: '1000' } })

/** Locks a vendor's row during the work. */
async function whileLocked<T>(of: World, vendor: number, work: () => Promise<T>): Promise<T> {
  const locked = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const holding = of.services.database.platform('write', async (tx) => {
    await tx
      .selectFrom('vendors' as never)
      .where('id' as never, '=', vendor as never)
      .selectAll()
      .forUpdate()
      .execute()
    locked.resolve()
    await done.promise
  })
  await locked.promise
  try {
    return await work()
  } finally {
    done.resolve()
    await holding
  }
}

const count = (replies: Reply[], code: string) => replies.filter(({ body }) => body.code === code).length

describe('requests that wait for the database', () => {
  it('are let wait by one user up to their share: others of the workspace and other workspaces are answered', async () => {
    const acme = await world.workspace()
    const other = await world.workspace({ name: 'Other' })
    const colleague = await acme.user(['vendors.view'])
    const vendor = (await acme.owner.post('/vendors', { name: 'Held' })).body.data.id
    await whileLocked(world, vendor, async () => {
      const many = Array.from({ length: 40 }, () => acme.owner.put(`/vendors/${vendor}`, { name: 'Mine' }))
      const began = performance.now()
      for (const person of [colleague, other.owner]) {
        assert.equal((await person.get('/me')).status, 200)
        assert.equal((await person.get('/vendors')).status, 200)
      }
      assert.ok(performance.now() - began < LOCK_MS, 'they waited behind the locks')
      const replies = await Promise.all(many)
      assert.ok(replies.every(({ status, headers }) => status === 503 && headers['retry-after']))
      assert.equal(count(replies, 'DATABASE_LOCKED') + count(replies, 'DATABASE_BUSY'), 40)
      assert.ok(count(replies, 'DATABASE_LOCKED') >= 3)
    })
    assert.equal((await acme.owner.put(`/vendors/${vendor}`, { name: 'Mine' })).status, 200)
  })

  it('for longer than a statement may take are a 503 that says so', async () => {
    const acme = await impatient.workspace()
    const vendor = (await acme.owner.post('/vendors', { name: 'Held' })).body.data.id
    const { status, body, headers } = await whileLocked(impatient, vendor, () =>
      acme.owner.put(`/vendors/${vendor}`, { name: 'Mine' }),
    )
    assert.deepEqual([status, body.code], [503, 'DATABASE_TIMEOUT'])
    assert.ok(Number(headers['retry-after']) > 0)
  })
})

describe('a request that writes', () => {
  it('for longer than its transaction may take is a 503 that says so, and nothing is written', async () => {
    const hurried = await startTest({ env: { DATABASE_TRANSACTION_TIMEOUT: '1000' } })
    const acme = await hurried.workspace()
    const vendor = (await acme.owner.post('/vendors', { name: 'Held' })).body.data.id
    const asked = await whileLocked(hurried, vendor, async () => {
      const asked = acme.owner.put(`/vendors/${vendor}`, { name: 'Mine' })
      await new Promise((resolve) => setTimeout(resolve, 1500))
      return { asked }
    })
    const { status, body, headers } = await asked.asked
    assert.deepEqual([status, body.code], [503, 'DATABASE_TIMEOUT'])
    assert.ok(Number(headers['retry-after']) > 0)
    assert.equal((await acme.owner.get(`/vendors/${vendor}`)).body.data.name, 'Held')
  })
})

interface Scene {
  resource: string
  modules: string[]
  /** Prepares the n-th of a workspace's most expensive requests and returns it as a function. */
  prepare(workspace: Workspace, n: number): Promise<() => Promise<void>>
  /** Sends a neighbour's cheapest request. */
  cheap(neighbour: Workspace, n: number): Promise<void>
}

const LINE = { name: 'Desk', quantity: 1, unit_price: 1 }
const SCENES: Scene[] = [
  {
    resource: 'the reader of texts',
    modules: ['documents', 'quotations'],
    async prepare({ owner }, n) {
      const file = new File([new Uint8Array(sharedStreamPdf(4, 40_000 + 2 * n))], 'long.pdf')
      const { id } = (await owner.post('/documents', { title: 'Long', file })).body.data
      const params = { name: 'get_document', arguments: { operation: 'downloadDocument', path: { id } } }
      return async () => {
        const { body } = await owner.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
        const read = JSON.parse((body as any).result.content[0].text)
        assert.ok(read.pages === 4 || read.code === 'READER_BUSY', JSON.stringify(read))
      }
    },
    async cheap({ owner }, n) {
      const quotation = { title: 'Desk', lines: [LINE], notes: `${n}${'<p>a</p>'.repeat(3000)}` }
      const { status, body } = await owner.post('/quotations', quotation)
      assert.equal(status, 201, body.message)
    },
  },
  {
    resource: 'the printer',
    modules: ['quotations'],
    // Text that may break at every second letter takes longest to typeset.
    async prepare({ owner }, n) {
      const body = `<p>${n}</p><p>${'a-'.repeat(15_000)}</p>`
      const { id } = (await owner.post('/quotations', { title: `Heavy ${n}`, lines: [{ ...LINE, body }] })).body.data
      return async () => {
        const { status } = await owner.get(`/quotations/${id}/pdf`)
        assert.ok([200, 503].includes(status), String(status))
      }
    },
    async cheap({ owner }, n) {
      const { id } = (await owner.post('/quotations', { title: `Light ${n}`, lines: [LINE] })).body.data
      assert.equal((await owner.get(`/quotations/${id}/pdf`)).status, 200)
    },
  },
]

/** Concurrent requests of each workspace. */
const ACTS = 3

for (const { resource, modules, prepare, cheap } of SCENES)
  describe(resource, () => {
    for (const K of [1, 2, 8])
      it(`serves a neighbour before the third turn of any of ${K} workspaces that do the most expensive thing`, async () => {
        const ended: string[] = []
        const attackers: { name: string; acts: (() => Promise<void>)[] }[] = []
        for (let n = 0; n < K; n++) {
          const workspace = await world.workspace({ modules, name: `Attacker ${n} of ${K} at ${resource}` })
          const acts = await Promise.all(Array.from({ length: ACTS }, (_, act) => prepare(workspace, act)))
          attackers.push({ name: `Attacker ${n}`, acts })
        }
        const neighbour = await world.workspace({ modules, name: `Neighbour of ${K} at ${resource}` })
        const acts = attackers.flatMap(({ name, acts }) => acts.map((act) => act().finally(() => ended.push(name))))
        for (let n = 0; n < 2; n++) {
          const before = ended.length
          await cheap(neighbour, n)
          const turns = ended.slice(before)
          for (const { name } of attackers) assert.ok(turns.filter((one) => one === name).length < 3, String(turns))
        }
        await Promise.all(acts)
      })
  })

describe('failures of the database and the disk', () => {
  for (const { code, status, told } of [
    { code: '57014', status: 503, told: 'DATABASE_TIMEOUT' },
    { code: '25P03', status: 503, told: 'DATABASE_TIMEOUT' },
    { code: '25P04', status: 503, told: 'DATABASE_TIMEOUT' },
    { code: '55P03', status: 503, told: 'DATABASE_LOCKED' },
    { code: '53200', status: 503, told: 'DATABASE_BUSY' },
    { code: '57P01', status: 503, told: 'UNAVAILABLE' },
    { code: '53100', status: 507, told: 'STORAGE_FULL' },
    { code: 'ENOSPC', status: 507, told: 'STORAGE_FULL' },
  ] as const)
    it(`${code} is a ${status} ${told}`, () => {
      const known = failureOf(Object.assign(new Error('of the driver'), { code }))
      assert.deepEqual([known?.status, known?.code], [status, told])
    })

  it('are told of an upload that the disk has no room for', async (t) => {
    const acme = await world.workspace({ name: 'Full' })
    t.mock.method(world.services.storage, 'write', () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' })))
    const file = new File(['Some text'], 'text.txt', { type: 'text/plain' })
    const { status, body } = await acme.owner.post('/documents', { file, title: 'A text' })
    assert.deepEqual([status, body.code], [507, 'STORAGE_FULL'])
  })

  it('are not told of anything else that fails by the same code', async (t) => {
    const acme = await world.workspace({ name: 'Cut' })
    for (const code of ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE']) {
      t.mock.method(world.services.storage, 'write', () => Promise.reject(Object.assign(new Error('of a file'), { code })))
      const file = new File(['Some text'], 'text.txt', { type: 'text/plain' })
      const { status, body } = await acme.owner.post('/documents', { file, title: 'A text' })
      assert.deepEqual([status, body.code, body.message], [500, 'INTERNAL_ERROR', DEFECT], code)
      t.mock.restoreAll()
    }
  })
})
