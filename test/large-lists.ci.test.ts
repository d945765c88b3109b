/** Lists of many rows: searching, counting and skipping are bounded, and the reply indicates that. */
// CI stage: bounds
// Also in CI: debian
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from './harness.ts'

const world = await startTest()
let firm: Workspace

/** More than a search finds before its page is read. */
const MANY = 10_050

before(async () => {
  firm = await world.workspace({ modules: ['contacts', 'companies', 'audit-logs'] })
  const company = (await firm.owner.post('/companies', { name: 'Moorhen Ltd' })).body.data.id
  await world.sql(
    `INSERT INTO contacts (tenant_id, name, job_title, company_id, address, created_at, updated_at)
     SELECT $1, CASE WHEN n % 2 = 0 THEN 'Heron ' || n ELSE 'Egret ' || n END, lpad((n * 7919 % 100003)::text, 6, '0'), CASE WHEN n % 2 = 1 THEN $2::bigint END,
       repeat('Long Street ', 20) || n, timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2026-01-01'
     FROM generate_series(1, $3::int * 2) n`,
    [firm.id, company, MANY],
  )
  await world.sql(
    `INSERT INTO contacts (tenant_id, name, created_at, updated_at) SELECT $1, 'Rare ' || n, now(), now() FROM generate_series(1, 30) n`,
    [firm.id],
  )
  await world.sql('ANALYZE contacts')
})

const list = async (query: Record<string, string | number>) => {
  const { status, body } = await firm.owner.get('/contacts', { query })
  assert.equal(status, 200, JSON.stringify(body))
  return { names: body.data.map(({ name }: { name: string }) => name) as string[], meta: body.meta }
}

describe('a search', () => {
  it('with few matches is counted exactly', async () => {
    const { names, meta } = await list({ search: 'rare' })
    assert.equal(names.length, 25)
    assert.deepEqual([meta.total, meta.last_page, meta.total_is_floor], [30, 2, undefined])
  })

  it('with very many is read in the order of the list, and says that its total is a floor', async () => {
    const { names, meta } = await list({ search: 'HERON' })
    assert.deepEqual(
      names,
      Array.from({ length: 25 }, (_, n) => `Heron ${2 * (MANY - n)}`),
    )
    assert.equal(meta.total_is_floor, true)
    assert.ok(meta.total > 10_000 && meta.total <= MANY, `${meta.total}`)
    assert.ok(meta.next_page_url)
  })

  it('finds very many through what they refer to as well', async () => {
    const { names, meta } = await list({ search: 'moorhen', sort: 'created_at', direction: 'asc' })
    assert.deepEqual(
      names,
      Array.from({ length: 25 }, (_, n) => `Egret ${2 * n + 1}`),
    )
    assert.equal(meta.total_is_floor, true)
  })

  it('has its last page, where it is asked for', async () => {
    const last = Math.ceil(MANY / 100)
    const { names, meta } = await list({ search: 'heron', per_page: 100, page: last })
    assert.deepEqual(names.length, MANY % 100)
    assert.deepEqual([meta.total, meta.next_page_url], [MANY, null])
    assert.deepEqual((await list({ search: 'heron', per_page: 100, page: last + 1 })).names, [])
  })

  it('counts exactly what visibility, a filter or the trash leave of very many', async () => {
    const company_id = (await firm.owner.get('/companies')).body.data[0].id
    const few = await list({ search: 'e', company_id, sort: 'created_at', direction: 'asc', page: 3 })
    assert.ok(few.names.every((name) => name.startsWith('Egret')) && few.meta.total > 10_000)
    await world.sql(`UPDATE contacts SET deleted_at = now() WHERE tenant_id = $1 AND name LIKE 'Heron %0' AND id % 100 < 30`, [
      firm.id,
    ])
    const [{ n }] = await world.sql('SELECT count(*)::int AS n FROM contacts WHERE tenant_id = $1 AND deleted_at IS NOT NULL', [
      firm.id,
    ])
    for (const page of [1, 2, Math.ceil(n / 100) + 5]) {
      const { meta, names } = await list({ search: 'heron', trashed: 'only', per_page: 100, page })
      assert.deepEqual([meta.total, meta.last_page, meta.total_is_floor], [n, Math.ceil(n / 100), undefined], `page ${page}`)
      assert.equal(names.length, Math.max(0, Math.min(100, n - (page - 1) * 100)))
    }
    await world.sql('UPDATE contacts SET deleted_at = NULL WHERE tenant_id = $1', [firm.id])
  })

  it('ends on a full page, for whoever sees only some of very many', async () => {
    const sales = await firm.user(['contacts.view'])
    await world.sql(
      'UPDATE contacts SET assigned_to = $2 WHERE tenant_id = $1 AND id IN (SELECT id FROM contacts WHERE tenant_id = $1 AND name LIKE $3 LIMIT 300)',
      [firm.id, sales.id, 'Heron %'],
    )
    const page = async (page: number) => (await sales.get('/contacts', { query: { search: 'heron', per_page: 100, page } })).body
    for (const n of [1, 3]) {
      const { data, meta } = await page(n)
      assert.deepEqual([data.length, meta.total, meta.last_page, meta.total_is_floor], [100, 300, 3, undefined])
    }
    assert.equal((await page(3)).meta.next_page_url, null)
  })

  it('is empty on a page that no list has', async () => {
    const { names, meta } = await list({ search: 'heron', per_page: 100, page: 21_474_837 })
    assert.deepEqual([names, meta.total], [[], MANY])
  })
})

describe('pages of a long list', () => {
  it('follow each other in every order, to the end', async () => {
    for (const sort of ['created_at', 'job_title', 'address', 'updated_at', 'company_id'])
      for (const direction of ['asc', 'desc']) {
        const all = await list({ sort, direction, per_page: 100, page: 2 })
        const parts = [
          await list({ sort, direction, per_page: 50, page: 3 }),
          await list({ sort, direction, per_page: 50, page: 4 }),
        ]
        assert.deepEqual(
          parts.flatMap(({ names }) => names),
          all.names,
          `${sort} ${direction}`,
        )
        assert.equal(new Set(all.names).size, 100)
      }
    const total = 2 * MANY + 30
    const { names, meta } = await list({ per_page: 100, page: Math.ceil(total / 100) })
    assert.equal(names.at(-1), 'Egret 1')
    assert.deepEqual([meta.total, meta.total_is_floor], [total, undefined])
  })
})

it('a filter that matches very many is counted so far only', async () => {
  await world.sql(
    `INSERT INTO audit_logs (tenant_id, event, actor_type, created_at) SELECT $1, 'user_impersonation_started', 'system', now() - n * interval '1 second' FROM generate_series(1, 100200) n`,
    [firm.id],
  )
  const page = async (page: number) =>
    (await firm.owner.get('/audit-logs', { query: { event: 'user_impersonation_started', per_page: 100, page } })).body
  const first = await page(1)
  assert.partialDeepStrictEqual(first.meta, { total: 100_001, total_is_floor: true, last_page: 1001 })
  const later = await page(1001)
  assert.equal(later.data.length, 100)
  assert.partialDeepStrictEqual(later.meta, { total: 100_101, total_is_floor: true, last_page: 1002 })
  const last = await page(1002)
  assert.deepEqual([last.meta.total, last.meta.total_is_floor, last.meta.next_page_url], [100_200, undefined, null])
})
