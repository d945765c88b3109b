/**
 * Rows that PostgreSQL reads with generic plans (docs/decisions/0017-plans-under-skew.md). Each statement of every list, board,
 * statistic, search and dashboard in the API document is explained in one large workspace among many small ones.
 */
// CI stage: bounds
// Also in CI: debian
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { fillDemo } from '#kernel/demo/parts.ts'
import { refersToAny } from '#kernel/export/record-columns.ts'
import { importables } from '#kernel/http/collections.ts'
import { openApi } from '#kernel/http/openapi.ts'
import { lookupTables } from '#kernel/records/lookup-table.ts'
import { idsOf, namesOf } from '#kernel/records/naming.ts'
import { resources } from '#kernel/records/resource.ts'
import { singular } from '#kernel/values/words.ts'
import { targetOf } from '#workspace/imports/imports.ts'
import { capture, type Statement } from '../bench/capture.ts'
import { multiply, spread } from '../bench/replicate.ts'
import { type Asked, requestsOf } from '../bench/skew/requests.ts'
import { startTest, type Workspace } from './harness.ts'
import { testServer } from './server.ts'

const SMALL_WORKSPACES = 100
const SMALL_ROWS = 5
const LARGE_ROWS = 1500
/** Tables are planned with this multiple of their rows: with few rows, reading a whole workspace would be the right plan. */
const SCALE = 100

/** Demo data is relative to this instant, so that plans always see the same rows. */
const FILLED_ON = '2026-11-26T09:30:00.000Z'

/** A node may read this multiple of the rows that it returns, plus a constant. */
const TIMES = 20
const MORE = 200

/** Nodes that may read more, by request names, with reasons. An unused entry fails the test. */
const known: { requests: RegExp; nodes: RegExp; because: string }[] = [
  {
    requests: /\?(search|q)=\((many|one letter)\)$/,
    nodes: /^(Sort|Aggregate) of/,
    because: 'Up to 10,000 matches are all read: beyond, the list is read in its order (0018).',
  },
  {
    requests: /^\/email\/(folders|labels)\//,
    nodes: /email_messages/,
    because: 'A folder is one person’s: rare matches, a label and deep pages are looked for in it.',
  },
  {
    requests: /^\/leads\/integrations\/webhooks/,
    nodes: /^Limit of/,
    because: 'The log of an endpoint is swept: it stays short.',
  },
  {
    requests: /^\/short-links\?sort=(click_count|last_clicked_at)/,
    nodes: /^Sort of short_links/,
    because: 'An index on them would be written at each click (three times the cost): 300,000 links are sorted in 100 ms.',
  },
  {
    requests: /^\/(leads|projects)\/(board|stats)\?(status|overdue|trashed|follow_up|next_follow_up_at_to)=/,
    nodes: /Scan of (leads|projects)$/,
    because: 'Rare matches of a board are looked for in each column; deleted ones beside the others are looked for in all.',
  },
  {
    requests: /^\/(contracts\?ends_on_to|leads\?(follow_up|next_follow_up_at_to))=/,
    nodes: /Scan of (contracts|leads)$/,
    because: 'Rare days in the list’s own order are looked for in it; sorted by the day, as a calendar asks, its index has them.',
  },
  {
    requests: /^\/saved-views\?page=/,
    nodes: /^Limit of saved_views/,
    because: 'Nobody has more than 200 of their own.',
  },
  {
    requests: /./,
    nodes: /^Aggregate of/,
    because: 'What tallies do not keep is counted (to a bound, beside a list) and summed.',
  },
]

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Parent Relationship'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Rows Removed by Join Filter'?: number
  Filter?: string
  Plans?: Node[]
}

interface Finding {
  asked: Asked
  /** `Sort of invoices`, `Aggregate of leads`. */
  node: string
  reads: number
  gives: number
}

const world = await startTest()
const server = await testServer()
const databaseUrl = server.adminUrlOf(new URL(world.services.config.DATABASE_URL!).pathname.slice(1))
const client = new pg.Client({ connectionString: databaseUrl })
await client.connect()
const { rows: roles } = await client.query('SELECT rolsuper FROM pg_roles WHERE rolname = current_user')
const skip = roles[0].rolsuper ? false : 'rows are multiplied past triggers, which takes a superuser'
if (skip) await client.end()

describe('plans that know no workspace', { skip }, () => {
  const findings: Finding[] = []
  const arrays = new Set<string>()
  const refused: string[] = []
  let explained = 0
  const mentioned = new Set<string>()

  before(async () => {
    world.clock.set(FILLED_ON)
    const large = await world.workspace()
    const { id, owner } = large
    await fillDemo(world.services, id, { records: 30, seed: 1 })
    await spread(databaseUrl, id, SMALL_WORKSPACES, SMALL_ROWS)
    await multiply(databaseUrl, id, LARGE_ROWS)
    await client.query('VACUUM (ANALYZE)')

    const document = JSON.parse(JSON.stringify(await openApi(world.services.modules, 'workspace', '')))
    const { asked } = await requestsOf(document, (path) => owner.get(path), { least: 100, now: world.clock.now() })
    await planAs(id)
    const seen = new Set<string>()
    for (const one of asked) {
      if (isSpared(one)) continue
      const statements = await capture(async () => {
        const { status } = await owner.get(one.path)
        if (status !== 200) refused.push(`${one.path} answered ${status}`)
      })
      for (const statement of statements) {
        const key = JSON.stringify(statement)
        if (seen.has(key) || !isRead(statement)) continue
        seen.add(key)
        explained++
        const plan = await explain(statement)
        findings.push(...wasteful(plan).map((found) => ({ asked: one, ...found })))
        for (const filter of arraysIn(plan)) arrays.add(`- ${one.name}: ${filter}`)
      }
    }
    for (const [type, { table, title }] of await mentionable(large))
      for (const { text, values } of await lookupsOf(large, type, table, title)) {
        mentioned.add(type)
        explained++
        const asked: Asked = { kind: 'list', name: `names of ${type}`, path: 'an import and an export' }
        findings.push(...wasteful(await explain({ text, values })).map((found) => ({ asked, ...found })))
      }
    await client.query('ROLLBACK')
  })

  after(() => client.end()) // before its database is dropped

  it('are looked at for every request', () => {
    assert.deepEqual(refused, [])
    assert.ok(mentioned.size > 10, `names of ${[...mentioned]}`)
    assert.ok(explained > 500, `only ${explained} statements were explained`)
  })

  it('read about as many rows as they give', () => {
    const isKnown = ({ asked, node }: Finding) =>
      known.some(({ requests, nodes }) => requests.test(asked.name) && nodes.test(node))
    const told = findings.filter((one) => !isKnown(one)).map(tell)
    assert.equal(told.length, 0, `${told.length} nodes read too much:\n${told.join('\n')}\n${howToMend}`)
  })

  it('compare no row with each of the ids that were found: sub-selects are hashed, arrays are read to their end', () => {
    assert.deepEqual([...arrays], [])
  })

  it('name no exception in vain', () => {
    const needs = ({ requests, nodes }: (typeof known)[number]) =>
      findings.some(({ asked, node }) => requests.test(asked.name) && nodes.test(node))
    assert.deepEqual(
      known.filter((one) => !needs(one)).map(({ because }) => because),
      [],
    )
  })
})

const howToMend = `How to mend:
- Sort, or a scan with a filter: give the table an index that begins with tenant_id and the filtered columns and ends with the sort and id; of a board they are the state and the filter; or don't offer that sort (\`sorts\` of its listing).
- Hash Join, or a Nested Loop: refer by joinById (kernel/records/embed.ts), which looks each row of the page up by its key.
- Aggregate: take the count from tallies (\`tallied\`), or bound it; if it must read all that it counts (or a board's column, for rare matches of a range), name it in \`known\` with the reason.`

const tell = ({ asked, node, reads, gives }: Finding) =>
  `- ${asked.name}: ${node} reads ${Math.round(reads)} rows and gives ${Math.round(gives)} (${asked.path})`

/** An index can be read backwards; two values of a filter are enough. */
function isSpared({ kind, name, path }: Asked): boolean {
  if (kind === 'sort') return path.endsWith('direction=desc')
  const filter = name.split('=')[0]!
  const times = (filtered.get(filter) ?? 0) + 1
  filtered.set(filter, times)
  return kind === 'filter' && times > 2
}
const filtered = new Map<string, number>()

/** Returns the record types that import cells can refer to, with their name fields. */
const mentionable = ({ inside }: Workspace) =>
  inside(async (ctx) => {
    const fields = (await Promise.all((await importables(ctx)).map(({ path }) => targetOf(ctx, path.slice(API.length))))).flatMap(
      (target) => target.fields,
    )
    const known = new Map([...resources, ...lookupTables].map(({ table, title }) => [singular(table), { table, title }]))
    known.delete('employee') // their names are derived from their parts
    return [...known].filter(([type]) => fields.some(({ schema }) => refersToAny(schema, type)))
  })
const API = '/api/tenant/v1/'

/** Returns the statements by which an export looks up names of records, and an import finds records by name. */
async function lookupsOf({ id, inside }: Workspace, type: string, table: string, title: string): Promise<Statement[]> {
  // Copied records share their names.
  const rows = await world.sql(
    `UPDATE ${table} SET ${title} = ${title} || ' ' || id WHERE tenant_id = $1 AND id IN (SELECT id FROM ${table} WHERE tenant_id = $1 LIMIT 50)
     RETURNING id, ${title} AS name`,
    [id],
  )
  const statements = await capture(() =>
    inside(async (ctx) => {
      await namesOf(
        ctx,
        type,
        rows.map((row) => Number(row.id)),
      )
      await idsOf(ctx, type, [...rows.map((row) => row.name), 'Nobody', '#1'])
    }),
  )
  return statements.filter(isRead)
}

/** Returns whether a statement reads workspace data: no sessions, limits, jobs and writes. */
const isRead = ({ text }: Statement) =>
  /^\s*(select|with)\b/i.test(text) &&
  !/\b(update|insert into|delete from)\b|app\.\w*session|rate_limits|platform_|pgboss/i.test(text)

/** Plans all further statements as the workspace's, for large tables, until the final rollback. */
async function planAs(tenantId: number) {
  await client.query('BEGIN')
  await client.query(
    `UPDATE pg_class SET reltuples = reltuples * ${SCALE} WHERE relnamespace::regnamespace::text IN ('public', 'partitions') AND relkind IN ('r', 'i') AND reltuples > 0`,
  )
  await client.query(
    `SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL jit = off; SET LOCAL ROLE app_tenant; SET LOCAL app.tenant_id = '${tenantId}'`,
  )
}

async function explain({ text, values }: Statement): Promise<Node> {
  const given = values.length ? `(${values.map(literal).join()})` : ''
  const results = (await client.query(
    `PREPARE asked AS ${text}; EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE asked${given}; DEALLOCATE asked`,
  )) as unknown as pg.QueryResult[]
  return results[1]!.rows[0]['QUERY PLAN'][0].Plan
}

/** Returns a value as an SQL literal, because EXECUTE takes no parameters. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((one) => JSON.stringify(String(one))).join()}}`)
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  return pg.escapeLiteral(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/**
 * Returns the nodes that read much more than they return. Entries of an index-only scan don't count: all of a workspace's may be
 * read (0018).
 */
function wasteful(node: Node): Omit<Finding, 'asked'>[] {
  const rowsOf = (one: Node) => one['Actual Rows'] * one['Actual Loops']
  const children = node.Plans ?? []
  const inputs = children.filter((child) => !isBeside(child) && !readsEntries(child))
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const own = node['Relation Name'] && !readsEntries(node) ? (node['Actual Rows'] + removed) * node['Actual Loops'] : 0
  const reads = Math.max(
    own,
    inputs.reduce((sum, child) => sum + rowsOf(child), 0),
  )
  const gives = rowsOf(node)
  const deeper = children.flatMap(wasteful)
  if (reads <= TIMES * gives + MORE) return deeper
  return [{ node: `${node['Node Type']} of ${[...new Set(tablesIn(node))].join(', ') || 'values'}`, reads, gives }, ...deeper]
}

/** Returns filters that compare each row with an array computed by the statement itself. */
const arraysIn = ({ Filter = '', Plans = [] }: Node): string[] => [
  ...(/= ANY \(+InitPlan/.test(Filter) ? [Filter] : []),
  ...Plans.flatMap(arraysIn),
]

const isBeside = (node: Node) => ['InitPlan', 'SubPlan'].includes(node['Parent Relationship'] ?? '')

/** Returns whether a node reads only index entries, or sorts or limits such an input. */
function readsEntries(node: Node): boolean {
  if (node['Node Type'] === 'Index Only Scan') return true
  const inputs = (node.Plans ?? []).filter((child) => !isBeside(child))
  return (
    ['Sort', 'Incremental Sort', 'Limit', 'Result'].includes(node['Node Type']) && inputs.length > 0 && inputs.every(readsEntries)
  )
}

const tablesIn = (node: Node): string[] => [node['Relation Name'] ?? [], (node.Plans ?? []).flatMap(tablesIn)].flat()
