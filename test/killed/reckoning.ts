/** Compares the ledger with the database: no acknowledged write is missing, and nothing is duplicated. */
import assert from 'node:assert/strict'
import type pg from 'pg'
import type { Ledger } from './ledger.ts'

type Ask = (text: string, values?: unknown[]) => Promise<any[]>

export const askingAt =
  (client: pg.Client): Ask =>
  async (text, values) =>
    (await client.query(text, values)).rows

/** Jobs scheduled every minute: one of them is always queued. */
const SCHEDULED = [
  '__pgboss__send-it',
  'job-dispatch',
  'invoices-find-due',
  'email-dispatch',
  'billing-collect',
  'impersonation-close',
  'billing-renew',
]

/** Occurrences share the title of their series. */
const made = (table: string) =>
  table === 'invoices' ? 'invoices WHERE recurring_source_invoice_id IS NULL AND' : `${table} WHERE`

/** Returns the number of unfinished jobs. */
export async function leftToDo(ask: Ask) {
  const [row] = await ask(
    `SELECT (SELECT count(*) FROM pgboss.job WHERE state IN ('created', 'retry', 'active') AND NOT name = ANY ($1)
        AND start_after < now() + interval '5 minutes')::int
      + (SELECT count(*) FROM job_runs WHERE state IN ('waiting', 'running'))::int AS n`,
    [SCHEDULED],
  )
  return row.n as number
}

/**
 * Each acknowledged name exists once; each unacknowledged one at most once. Unacknowledged names are possible only where keys are
 * locked.
 */
export async function eachOnce(ask: Ask, ledger: Ledger) {
  const undecided: Record<string, number> = {}
  for (const { table, column, sent, told } of ledger.made.kinds()) {
    const rows = await ask(`SELECT ${column} AS name, count(*)::int AS n FROM ${made(table)} ${column} = ANY ($1) GROUP BY 1`, [
      [...sent],
    ])
    assert.deepEqual(
      rows.filter(({ n }) => n > 1),
      [],
      `${table} twice`,
    )
    const there = new Set(rows.map(({ name }) => name))
    assert.deepEqual(
      [...told.keys()].filter((name) => !there.has(name)),
      [],
      `${table} lost`,
    )
    if (sent.size > told.size) undecided[table] = sent.size - told.size
  }
  return undecided
}

/** Numbers have no gaps, and equal the acknowledged ones. */
export async function numbers(ask: Ask, ledger: Ledger, tenant: number) {
  for (const table of [
    'purchase_orders',
    'invoices',
    'payments',
    'stock_transfers',
    'estimates',
    'quotations',
    'contracts',
    'credit_notes',
  ]) {
    const [row] = await ask(
      `SELECT count(*)::int AS n, count(DISTINCT number)::int AS different, coalesce(max(substring(number FROM '\\d+$')::int), 0) AS last
       FROM ${table} WHERE tenant_id = $1 AND number IS NOT NULL`,
      [tenant],
    )
    assert.deepEqual(row, { n: row.n, different: row.n, last: row.n }, table)
    const kind = ledger.made.kinds().find((one) => one.table === table)!
    const rows = await ask(`SELECT ${kind.column} AS name, number FROM ${made(table)} tenant_id = $1`, [tenant])
    const stored = new Map(rows.map(({ name, number }) => [name, number]))
    for (const [name, { number }] of kind.told) if (number) assert.equal(stored.get(name), number, table)
  }
}

/** On hand equals the sum of movements, and the acknowledged quantities. */
export async function stock(ask: Ask, ledger: Ledger, at: { bought: number; moved: number; store: number; shop: number }) {
  const rows = await ask(`
    SELECT l.product_id::int AS product, l.warehouse_id::int AS place, l.on_hand::int AS on_hand,
      (SELECT sum(change) FROM stock_movements m
       WHERE m.tenant_id = l.tenant_id AND m.product_id = l.product_id AND m.warehouse_id = l.warehouse_id)::int AS moved
    FROM stock_levels l ORDER BY 1, 2`)
  for (const { on_hand, moved } of rows) assert.equal(on_hand, moved)
  const onHand = (product: number, place: number) =>
    rows.find((row) => row.product === product && row.place === place)?.on_hand ?? 0
  assert.deepEqual(
    [onHand(at.bought, at.store), onHand(at.moved, at.store), onHand(at.moved, at.shop)],
    [ledger.received, ledger.adjusted - ledger.dispatched, ledger.completed],
  )
}

/** Paid amounts equal allocated amounts. */
export async function money(ask: Ask, { paid }: Ledger) {
  const wrong = await ask(
    `SELECT i.id, i.status, i.amount_paid FROM invoices i
     LEFT JOIN LATERAL (SELECT coalesce(sum(a.amount), 0) AS sum FROM payment_allocations a WHERE a.tenant_id = i.tenant_id AND a.invoice_id = i.id) a ON true
     WHERE i.amount_paid <> a.sum OR (i.id = ANY ($1) AND (i.status <> 'paid' OR i.balance_due <> 0))`,
    [paid],
  )
  assert.deepEqual(wrong, [])
  const unbalanced = await ask(
    `SELECT p.id FROM payments p WHERE p.allocated_amount <>
       (SELECT coalesce(sum(a.amount), 0) FROM payment_allocations a WHERE a.tenant_id = p.tenant_id AND a.payment_id = p.id)`,
  )
  assert.deepEqual(unbalanced, [])
}

/** Each series has each of its dates once. */
export async function occurrences(ask: Ask, { series }: Ledger) {
  const rows = await ask(
    `SELECT recurring_source_invoice_id::int AS id, count(*)::int AS n, count(DISTINCT occurrence_on)::int AS dates
     FROM invoices WHERE recurring_source_invoice_id IS NOT NULL GROUP BY 1`,
  )
  const found = new Map(rows.map(({ id, n, dates }) => [id, [n, dates]]))
  for (const [id, expected] of series) assert.deepEqual(found.get(id), [expected, expected], `series ${id}`)
}

/** Each row of each file became one lead. */
export async function imports(ask: Ask, { imports }: Ledger) {
  const rows = await ask(
    `SELECT split_part(split_part(email, '@', 2), '.', 1) AS name, count(*)::int AS n, count(DISTINCT email)::int AS emails FROM leads WHERE email IS NOT NULL GROUP BY 1`,
  )
  const found = new Map(rows.map(({ name, n, emails }) => [name, [n, emails]]))
  for (const [name, expected] of imports) {
    const [one] = await ask(
      `SELECT to_jsonb(i) AS import, (SELECT to_jsonb(f) FROM lead_import_failures f WHERE f.import_id = i.id LIMIT 1) AS failure
       FROM lead_imports i WHERE file_name = $1`,
      [`${name}.csv`],
    )
    assert.deepEqual(found.get(name), [expected, expected], `import ${name}: ${JSON.stringify(one)}`)
  }
}

/** The assignee of a task is notified once. */
export async function notifications(ask: Ask, { made }: Ledger, clerk: number) {
  const tasks = made.kinds().find(({ table }) => table === 'tasks')!.told.size
  const [row] = await ask(
    `SELECT count(*)::int AS n, count(DISTINCT data->>'entity_id')::int AS tasks FROM notifications
     WHERE user_id = $1 AND data->>'entity_type' = 'task'`,
    [clerk],
  )
  assert.deepEqual(row, { n: tasks, tasks })
}

/** Tallies equal the counted records. */
export async function tallies(ask: Ask) {
  const kinds = await ask('SELECT DISTINCT kind FROM record_tallies ORDER BY 1')
  assert.ok(kinds.length > 10)
  for (const { kind } of kinds) {
    const wrong = await ask(`
      SELECT tenant_id, sum(n)::int AS tallied, sum(there)::int AS there FROM (
        SELECT tenant_id, trashed, n, 0 AS there FROM record_tallies WHERE kind = '${kind}'
        UNION ALL SELECT tenant_id, to_jsonb(r)->>'deleted_at' IS NOT NULL, 0, count(*) FROM ${kind} r GROUP BY 1, 2) AS sides
      GROUP BY tenant_id, trashed HAVING sum(n) <> sum(there)`)
    assert.deepEqual(wrong, [], kind)
  }
}

/**
 * Storage usage includes documents, and rows of imports until they are run: an import without a reply waits for its user.
 * Interrupted uploads wait for the sweep. Returns the number of files.
 */
export async function storage(ask: Ask, tenant: number) {
  const [row] = await ask(
    `SELECT (SELECT sum(size_bytes) FROM documents WHERE tenant_id = $1)::int AS documents,
       (SELECT coalesce(sum(bytes), 0) FROM lead_import_chunks WHERE tenant_id = $1)::int AS imports,
       (SELECT used_bytes FROM storage_usage WHERE tenant_id = $1)::int AS counted,
       (SELECT count(*) FROM stored_files WHERE tenant_id = $1 AND state = 'pending')::int AS pending`,
    [tenant],
  )
  assert.equal(row.counted, row.documents + row.imports)
  return row.pending as number
}

/** Workspaces are complete: one owner, the seeded roles, each module once. */
export async function workspaces(ask: Ask) {
  const wrong = await ask(`
    SELECT t.id, owners, roles, doubled FROM tenants t,
      LATERAL (SELECT count(*)::int AS owners FROM users u WHERE u.tenant_id = t.id AND u.is_owner) AS u,
      LATERAL (SELECT count(*)::int AS roles FROM roles r WHERE r.tenant_id = t.id) AS r,
      LATERAL (SELECT count(*) - count(DISTINCT module_key) AS doubled FROM module_subscriptions m WHERE m.tenant_id = t.id) AS m
    WHERE owners <> 1 OR roles <> (SELECT min(n) FROM (SELECT count(*) AS n FROM roles GROUP BY tenant_id) AS seeded) OR doubled <> 0`)
  assert.deepEqual(wrong, [])
}
