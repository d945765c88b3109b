/**
 * `Dry-Run: true` on every write of both APIs: the reply is complete, and nothing is changed. Also the query parameters of every
 * list.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fillDemo } from '#kernel/demo/parts.ts'
import { changedIn, fingerprintOf } from './contract/marks.ts'
import type { Operation } from './contract/operations.ts'
import { type Request, requestsIn, send } from './contract/requests.ts'
import { startContract } from './contract/world.ts'
import type { Reply } from './harness.ts'

const world = await startContract()
const { operations } = world
const alpha = await world.workspace({ name: 'Alpha' })
await fillDemo(world.services, alpha.id, { records: 5, seed: 0 })
const requests = requestsIn(world, alpha)
const allWrites = operations.filter(({ method, security }) => method !== 'GET' && security.length)
const writes = allWrites.filter((one) => world.isSampled(one) || one.path.includes('change-password'))
const forgetLimits = () => world.sql('DELETE FROM rate_limits')
const platform = async () =>
  Object.fromEntries(
    await Promise.all(
      [
        'tenants',
        'platform_users',
        'platform_roles',
        'modules',
        'ledger_invoices',
        'ledger_payments',
        'email_logs',
        'audit_logs',
      ].map(async (table) => {
        const [row] = await world.sql(
          `SELECT count(*)::int AS rows, md5(string_agg(t::text, '' ORDER BY t::text)) AS hash FROM ${table} t`,
        )
        return [table, row] as const
      }),
    ),
  )

describe('a dry run', () => {
  const prepared: [Operation, Request][] = []
  let was: Map<string, string>
  let platformWas: object
  before(async () => {
    for (const operation of writes) {
      await forgetLimits()
      prepared.push([operation, await requests.requestOf(operation)])
    }
    await world.drain()
    was = await fingerprintOf(world, alpha.id)
    platformWas = await platform()
  })

  it('of every write is answered like the write, or can’t be', async () => {
    const unsupported: string[] = []
    const refused: string[] = []
    for (const [operation, request] of prepared) {
      await forgetLimits()
      const reply = await send(world, { ...request, headers: { ...request.headers, 'dry-run': 'true' } })
      const { status, body } = reply as Reply
      if (status === 422 && body?.code === 'DRY_RUN_UNSUPPORTED') {
        unsupported.push(operation.at)
        continue
      }
      const done = Object.keys(operation.responses).filter((code) => /^[23]/.test(code))
      assert.ok(status < 500, `${operation.at} ${status} ${reply.raw.toString().slice(0, 300)}`)
      // Prepared in advance: some need a state that another operation would change.
      if (!done.includes(String(status))) {
        refused.push(`${operation.at} ${status} ${reply.raw.toString().slice(0, 300)}`)
        continue
      }
      if (/^application\/json/.test(String(reply.headers['content-type'])) && body && 'meta' in body)
        assert.equal(reply.headers['dry-run'], 'true', operation.at)
    }
    assert.ok(refused.length < allWrites.length / 20, refused.join('\n'))
    assert.ok(unsupported.length < allWrites.length / 4, unsupported.join('\n'))
    assert.ok(unsupported.some((at) => at.includes('change-password')))
  })

  it('leaves nothing: no record, number, mail, job or entry of a log', async () => {
    await world.drain()
    assert.deepEqual(changedIn(was, await fingerprintOf(world, alpha.id)), [])
    assert.deepEqual(await platform(), platformWas)
  })

  it('uses up no number and no Idempotency-Key, and tells what is wrong', async () => {
    const { owner } = alpha
    const headers = { 'dry-run': 'true', 'idempotency-key': 'tried' }
    const order = {
      title: 'Tried',
      currency: 'USD',
      lines: [],
      vendor_id: (await owner.post('/vendors', { name: 'V' })).body.data.id,
    }
    const tried = await owner.post('/purchase-orders', order, { headers })
    assert.equal(tried.status, 201)
    const made = await owner.post('/purchase-orders', order, { headers: { 'idempotency-key': 'tried' } })
    assert.deepEqual([made.status, made.headers['idempotency-replayed']], [201, undefined])
    assert.equal(made.body.data.number, tried.body.data.number)
    const wrong = await owner.post('/purchase-orders', { ...order, title: '' }, { headers: { 'dry-run': 'true' } })
    assert.deepEqual([wrong.status, Object.keys(wrong.body.errors!)], [422, ['title']])
    assert.equal((await owner.post('/vendors', { name: 'V' }, { headers: { 'dry-run': 'perhaps' } })).status, 400)
    assert.equal((await owner.get('/vendors', { headers: { 'dry-run': 'true' } })).status, 200)
  })
})

describe('every list of records', () => {
  it('gives those of some ids, and what changed since an instant, the oldest change first', async () => {
    const { owner } = alpha
    const at = (minute: number) => `2027-06-01T09:0${minute}:00.000Z`
    const ids: number[] = []
    for (const minute of [1, 2, 3]) {
      world.clock.set(at(minute))
      ids.push((await owner.post('/vendors', { name: `Since ${minute}` })).body.data.id)
    }
    world.clock.set(at(4))
    await owner.put(`/vendors/${ids[0]}`, { name: 'Since 4' })
    const names = async (query: Record<string, string>) =>
      (await owner.get('/vendors', { query })).body.data.map(({ name }: { name: string }) => name)
    assert.deepEqual((await names({ ids: `${ids[2]},${ids[0]},999999` })).sort(), ['Since 3', 'Since 4'])
    assert.deepEqual(await names({ updated_since: at(2) }), ['Since 2', 'Since 3', 'Since 4'])
    assert.deepEqual(await names({ updated_since: at(3), sort: 'name', direction: 'desc' }), ['Since 4', 'Since 3'])
    for (const [name, value] of [
      ['ids', 'x'],
      [
        'ids',
        Array(101)
          .fill(1)
          .map((_, n) => n + 1)
          .join(','),
      ],
      ['updated_since', 'yesterday'],
    ] as const) {
      const { status, body } = await owner.get('/vendors', { query: { [name]: value } })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, [name]])
    }
  })
})
