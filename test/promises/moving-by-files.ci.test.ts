/**
 * A workspace moves by files: each list is exported, the files are imported into an empty workspace, and what that one exports is the same. Small tables
 * (categories, stages, tags, departments) and users, which no file makes, are there before.
 */
// CI stage: bounds
// Also in CI: debian
// Own process: what modules declare is gathered once in each, and these are more of them.
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { refersToAny } from '#kernel/export/record-columns.ts'
import { importables } from '#kernel/http/collections.ts'
import { targetOf } from '#workspace/imports/imports.ts'
import type { Workspace } from '../harness.ts'
import { refuses, startAsking } from './asking.ts'
import type { Collection } from './collections.ts'
import { schemaOf } from './schemas.ts'

const { world, collections, acme: full, other: empty, made, everyRow } = await startAsking()

type Rows = Record<string, string>[]

const LEADS = '/leads'
const paths = (await full.inside((ctx) => importables(ctx))).map(({ path }) => path.replace('/api/tenant/v1', ''))
const moved = collections.filter(({ path }) => paths.includes(path) || path === LEADS)

/** What a workspace gives by itself. Numbers are given too, and are the same: rows come in the order in which the records were made. */
const GIVEN = new Set(['ID', 'Uuid', 'Created at', 'Updated at', 'Created at (UTC)', 'Updated at (UTC)'])

async function exported({ owner }: Workspace, path: string, format: string) {
  const { status, raw } = await owner.get(`${path}/export`, { query: { format, sort: 'created_at', direction: 'asc' } })
  assert.equal(status, 200, `${path}: ${raw}`)
  return raw
}

const table = async (workspace: Workspace, path: string): Promise<Rows> => {
  const rows: Rows = parse((await exported(workspace, path, 'csv')).toString(), { bom: true, columns: true })
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([title]) => !GIVEN.has(title))))
}

/** Those that others mention come first; each step's don't mention each other. */
async function steps(): Promise<Collection[][]> {
  const waits = new Map<Collection, Collection[]>()
  for (const one of moved) {
    const fields = one.path === LEADS ? [] : (await full.inside((ctx) => targetOf(ctx, one.path.slice(1)))).fields
    const mentions = ({ resource }: Collection) => fields.some(({ schema }) => refersToAny(schema, resource))
    waits.set(
      one,
      moved.filter((other) => other !== one && mentions(other)),
    )
  }
  const all: Collection[][] = []
  for (let left = moved; left.length; ) {
    const next = left.filter((one) => !waits.get(one)!.some((other) => left.includes(other)))
    assert.ok(next.length, `lists that wait for each other: ${left.map(({ path }) => path)}`)
    all.push(next)
    left = left.filter((one) => !next.includes(one))
  }
  return all
}

/** Small tables are made by requests, as their lists show them. */
async function copySmallTables() {
  for (const { path, routes, titleField } of collections) {
    if (paths.includes(path) || !routes.has('GET /export') || routes.has('POST /bulk')) continue
    const sendable = Object.keys((schemaOf(routes.get('POST /')!.spec.body) as any).properties ?? {})
    const there = new Set((await everyRow(path, {}, 100, empty.owner)).map((row) => row[titleField]))
    for (const row of await everyRow(path, {}, 100, full.owner)) {
      if (there.has(row[titleField])) continue
      const body = Object.fromEntries(sendable.flatMap((name) => (name in row ? [[name, row[name]]] : [])))
      refuses(await empty.owner.post(path, body), 201, undefined, path)
    }
  }
}

const was = new Map<string, Rows>()
const said = new Map<string, string>()

async function forget({ path, key }: Collection) {
  for (const row of await everyRow(path)) {
    refuses(await full.owner.del(`${path}/${row[key]}`), 200, undefined, path)
    refuses(await full.owner.del(`${path}/${row[key]}/force`), 200, undefined, path)
  }
}

/** Imports a file of the full workspace into the empty one; tells how to see what came of it. */
async function send({ path }: Collection, raw: unknown, format: 'csv' | 'xlsx') {
  const own = path === LEADS ? '/leads/imports' : '/imports'
  const file = new File([raw as never], `file.${format}`)
  const sent = await empty.owner.post(own, path === LEADS ? { file } : { module: path.slice(1), file })
  refuses(sent, 201, undefined, path)
  const { import: one, context } = sent.body.data
  refuses(await empty.owner.put(`${own}/${one.uuid}`, { mapping: context.suggested_mapping }), 200, undefined, path)
  refuses(await empty.owner.post(`${own}/${one.uuid}/run`), 200, undefined, path)
  return async () => {
    const { status, failed_count } = (await empty.owner.get(`${own}/${one.uuid}`)).body.data
    const failed = failed_count ? (await empty.owner.get(`${own}/${one.uuid}/failed-records`)).raw.toString() : ''
    said.set(path, `${status} ${failed}`.trim())
  }
}

before(async () => {
  const order = await steps()
  for (const one of order.flat()) for (const fields of ['all', 'required'] as const) await made(one, full, fields)
  // Several that are called the same are named by their ids, which are the workspace's own.
  for (const [n, { id }] of (await everyRow('/employees')).entries())
    refuses(
      await full.owner.put(`/employees/${id}`, { name: `Ada ${n}`, first_name: 'Ada', last_name: `${n}` }),
      200,
      undefined,
      '',
    )
  await world.sql('UPDATE users SET email = (SELECT email FROM users WHERE id = $1) WHERE id = $2', [
    full.owner.id,
    empty.owner.id,
  ])
  await copySmallTables()
  for (const step of order) {
    const seen: (() => Promise<void>)[] = []
    for (const [n, one] of step.entries()) {
      was.set(one.path, await table(full, one.path))
      const file = await exported(full, one.path, n % 2 ? 'xlsx' : 'csv')
      // A code of a short link is one of the whole service.
      if (one.path === '/short-links') await forget(one)
      seen.push(await send(one, file, n % 2 ? 'xlsx' : 'csv'))
    }
    await world.drain()
    for (const see of seen) await see()
  }
})

for (const { path } of moved)
  it(`${path}: its file is the same in the workspace that it was imported into`, async () => {
    assert.equal(said.get(path), 'completed')
    assert.deepEqual(await table(empty, path), was.get(path))
  })
