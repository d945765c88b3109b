import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { calendarOf } from '#kernel/demo/calendar.ts'
import { inOrder, type Progress } from '#kernel/demo/parts.ts'
import { type Client, PASSWORD, startTest } from '#test/harness.ts'
import { type DemoWorkspace, makeDemo } from './demo.ts'

const world = await startTest()
const reports: Progress[] = []
let workspace: DemoWorkspace
let second: DemoWorkspace
let owner: Client

before(async () => {
  const report = (progress: Progress) => reports.push(progress)
  const made = await makeDemo(world.services, { workspaces: 2, records: 60, seed: 1, password: PASSWORD, report })
  ;[workspace, second] = made as [DemoWorkspace, DemoWorkspace]
  owner = await signedIn(workspace)
})

async function signedIn({ slug, email: owner }: DemoWorkspace, email = owner) {
  const { body } = await world.anonymous.post('/auth/login', { email, password: PASSWORD, workspace: slug })
  return world.tenant(body.data.token)
}

/** Asserts that a query for violations, in any workspace, returns no row. */
const none = async (text: string) => assert.deepEqual(await world.sql(text), [])

describe('the demo', () => {
  it('fills every module that has a part, each once, behind those it needs', () => {
    const all = reports.filter(({ made }) => made !== undefined).map(({ module }) => module.key)
    const filled = all.slice(0, all.indexOf('users', 1)) // users come first, so this is the first workspace
    assert.deepEqual(new Set(filled).size, filled.length)
    for (const { first, second } of [
      { first: 'users', second: 'vendors' },
      { first: 'vendors', second: 'purchase-orders' },
      { first: 'products', second: 'purchase-orders' },
      { first: 'purchase-orders', second: 'expenses' },
      { first: 'purchase-orders', second: 'inventory' },
      { first: 'quotations', second: 'invoices' },
      { first: 'invoices', second: 'payments' },
    ] as const)
      assert.ok(filled.indexOf(first) >= 0 && filled.indexOf(first) < filled.indexOf(second), `${first} before ${second}`)
  })

  it('refuses parts that wait for each other', () => {
    const part = (key: string, after: string[]) => ({
      module: { key, title: key, surface: 'workspace' as const, folder: '' },
      demo: { after, fill: async () => 0 },
    })
    assert.throws(() => inOrder([part('a', ['b']), part('b', ['a'])]), /comes after itself/)
  })

  it('leaves no table of a workspace empty, in either of them', async () => {
    const tables = await world.sql(`
      SELECT c.table_name AS name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'public' AND c.column_name = 'tenant_id' AND t.table_type = 'BASE TABLE' ORDER BY 1`)
    const empty: string[] = []
    for (const { name } of tables) {
      if (MAY_BE_EMPTY.has(name)) continue
      const rows = await world.sql(`SELECT DISTINCT tenant_id FROM ${name} WHERE tenant_id = ANY ($1)`, [
        [workspace.id, second.id],
      ])
      if (rows.length < 2) empty.push(name)
    }
    assert.deepEqual(empty, [], 'give the module a fixtures.ts, or state above why it needs none')
  })

  it('writes JSON as what it is, not as a text of it', async () => {
    const columns = await world.sql(`
      SELECT c.table_name AS name, c.column_name AS field FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'public' AND c.data_type IN ('json', 'jsonb') AND t.table_type = 'BASE TABLE' ORDER BY 1, 2`)
    const texts = columns.map(
      ({ name, field }) => `SELECT DISTINCT '${name}.${field}' AS wrong FROM "${name}" WHERE "${field}"::text ~ '^"[[{]'`,
    )
    await none(texts.join(' UNION ALL '))
  })

  it('leaves no table of the platform empty', async () => {
    for (const name of ['beta_applications', 'beta_invites', 'ledger_counters', 'module_categories', 'modules'].concat(
      ['payment_gateway_events', 'payment_gateway_logs', 'payment_gateway_prices', 'payment_gateways', 'platform_roles'],
      ['platform_settings', 'platform_user_roles', 'platform_users', 'tenants', 'uptime_days'],
    ))
      assert.ok((await world.sql(`SELECT 1 FROM ${name} LIMIT 1`)).length, name)
  })

  it('can be signed in to, by the owner and by colleagues', async () => {
    assert.equal((await owner.get('/me')).body.data.user.email, workspace.email)
    const { data } = (await owner.get('/users', { query: { suspended: 'false' } })).body
    const colleague = data.find((user: { email: string }) => user.email !== workspace.email)
    assert.equal((await (await signedIn(workspace, colleague.email)).get('/me')).status, 200)
    assert.equal((await (await signedIn(second)).get('/me')).body.data.workspace.currency, 'EUR')
  })

  it('has totals that are the sums of their lines', async () => {
    for (const { documents, lines, by } of [
      { documents: 'purchase_orders', lines: 'purchase_order_lines', by: 'purchase_order_id' },
      { documents: 'quotations', lines: 'quotation_lines', by: 'quotation_id' },
      { documents: 'estimates', lines: 'estimate_lines', by: 'estimate_id' },
      { documents: 'invoices', lines: 'invoice_lines', by: 'invoice_id' },
      { documents: 'credit_notes', lines: 'credit_note_lines', by: 'credit_note_id' },
    ])
      await none(`
        SELECT o.number FROM ${documents} o LEFT JOIN ${lines} l ON l.tenant_id = o.tenant_id AND l.${by} = o.id
        GROUP BY o.tenant_id, o.id HAVING o.tax_total <> sum(l.tax) OR o.total <> sum(l.net + l.tax) OR count(l.id) NOT BETWEEN 1 AND 12`)
  })

  it('has tallies that equal the counts', async () => {
    for (const table of ['purchase_orders', 'expenses', 'invoices', 'quotations', 'tasks', 'projects', 'leads']) {
      const columns = 'status, assigned_to, trashed'
      const kept = `SELECT tenant_id, ${columns}, sum(n) AS n FROM record_tallies WHERE kind = '${table}' GROUP BY 1, 2, 3, 4 HAVING sum(n) <> 0`
      const counted = `SELECT tenant_id, status, assigned_to, deleted_at IS NOT NULL AS trashed, count(*) AS n FROM ${table} GROUP BY 1, 2, 3, 4`
      await none(`(${kept} EXCEPT ${counted}) UNION ALL (${counted} EXCEPT ${kept})`)
    }
  })

  it('has a stock ledger that adds up and never went below zero', async () => {
    await none(`
      SELECT l.product_id FROM stock_levels l LEFT JOIN stock_movements m USING (tenant_id, product_id, warehouse_id)
      GROUP BY l.tenant_id, l.product_id, l.warehouse_id, l.on_hand HAVING l.on_hand <> coalesce(sum(m.change), 0)`)
    await none(`
      SELECT id FROM (SELECT id, balance_after, sum(change) OVER (PARTITION BY tenant_id, product_id, warehouse_id ORDER BY id) AS sum
        FROM stock_movements) m WHERE balance_after <> sum OR balance_after < 0`)
  })

  it('has moved stock once for each line of a received order, and for no other', () =>
    none(`
      SELECT l.id FROM purchase_order_lines l
      JOIN purchase_orders o ON o.tenant_id = l.tenant_id AND o.id = l.purchase_order_id
      JOIN products p ON p.tenant_id = l.tenant_id AND p.id = l.product_id
      LEFT JOIN stock_movements m ON m.tenant_id = l.tenant_id AND m.reference_line_id = l.id AND m.type = 'in' AND m.change = l.quantity
      WHERE (m.id IS NOT NULL) <> (o.status = 'received' AND p.track_stock)`))

  it('has moved stock twice for each line of a completed transfer', () =>
    none(`
      SELECT l.id FROM stock_transfer_lines l JOIN stock_transfers t ON t.tenant_id = l.tenant_id AND t.id = l.transfer_id
      LEFT JOIN stock_movements m ON m.tenant_id = l.tenant_id AND m.reference_type = 'stock_transfer' AND m.reference_line_id = l.id
      GROUP BY l.tenant_id, l.id, t.status HAVING count(m.id) <> CASE t.status WHEN 'completed' THEN 2 ELSE 0 END`))

  it('tells of each record how it came to where it is', async () => {
    for (const table of ['purchase_orders', 'expenses', 'quotations', 'estimates', 'contracts', 'invoices', 'projects', 'tasks'])
      await none(`
        SELECT r.id FROM ${table} r LEFT JOIN activities a ON a.tenant_id = r.tenant_id AND a.subject_type = '${table}' AND a.subject_id = r.id
        GROUP BY r.tenant_id, r.id
        HAVING count(*) FILTER (WHERE a.type = 'created') <> 1
          OR coalesce((array_agg(a.properties ->> 'to' ORDER BY a.created_at DESC, a.id DESC) FILTER (WHERE a.type = 'status_changed'))[1],
            '${BEGINNINGS[table] ?? 'draft'}') <> CASE WHEN r.status = 'unpaid' AND count(*) FILTER (WHERE a.type = 'status_changed') = 0
            THEN '${BEGINNINGS[table] ?? 'draft'}' ELSE r.status END
          OR (r.deleted_at IS NOT NULL) <> (count(*) FILTER (WHERE a.type = 'deleted') > 0)
          OR min(a.created_at) <> r.created_at OR r.updated_at < r.created_at OR max(a.created_at) > now()`)
  })

  it('has converted some orders, and each knows its expense', async () => {
    await none(`
      SELECT e.id FROM expenses e LEFT JOIN purchase_orders o ON o.tenant_id = e.tenant_id AND o.id = e.purchase_order_id
      WHERE e.purchase_order_id IS NOT NULL AND (o.converted_expense_id = e.id AND o.total = e.amount) IS NOT TRUE`)
    await some('purchase_orders', 'converted_expense_id IS NOT NULL')
  })

  it('has invoiced what was accepted, to the same customer over the same sum', async () => {
    for (const { table, column } of [
      { table: 'quotations', column: 'quotation_id' },
      { table: 'estimates', column: 'estimate_id' },
    ]) {
      await none(`
        SELECT i.number FROM invoices i LEFT JOIN ${table} o ON o.tenant_id = i.tenant_id AND o.id = i.${column}
        WHERE i.${column} IS NOT NULL AND (o.converted_invoice_id = i.id AND o.total = i.total AND o.status = 'accepted'
          AND o.contact_id IS NOT DISTINCT FROM i.contact_id AND o.company_id IS NOT DISTINCT FROM i.company_id) IS NOT TRUE`)
      await some(table!, 'converted_invoice_id IS NOT NULL')
    }
    await none(`
      SELECT i.number FROM invoices i LEFT JOIN contracts o ON o.tenant_id = i.tenant_id AND o.id = i.contract_id
      WHERE i.contract_id IS NOT NULL AND (o.converted_invoice_id = i.id AND o.value = i.total) IS NOT TRUE`)
  })

  it('has invoices that owe what is neither paid nor credited', async () => {
    await none(`
      SELECT i.number FROM invoices i
      LEFT JOIN (SELECT a.tenant_id, a.invoice_id, sum(a.amount) AS paid FROM payment_allocations a
        JOIN payments p ON p.tenant_id = a.tenant_id AND p.id = a.payment_id WHERE p.status = 'posted' GROUP BY 1, 2) p
        ON p.tenant_id = i.tenant_id AND p.invoice_id = i.id
      LEFT JOIN (SELECT a.tenant_id, a.invoice_id, sum(a.amount) AS credited FROM credit_note_applications a GROUP BY 1, 2) c
        ON c.tenant_id = i.tenant_id AND c.invoice_id = i.id
      WHERE i.amount_paid <> coalesce(paid, 0) OR i.amount_credited <> coalesce(credited, 0)
        OR (i.status = 'paid') <> (i.status NOT IN ('draft', 'cancelled') AND i.balance_due = 0)
        OR (i.status IN ('draft', 'cancelled') AND i.amount_paid + i.amount_credited > 0)`)
    await none(`
      SELECT p.number FROM payments p LEFT JOIN payment_allocations a ON a.tenant_id = p.tenant_id AND a.payment_id = p.id
      GROUP BY p.tenant_id, p.id HAVING p.allocated_amount <> coalesce(sum(a.amount), 0) OR p.allocated_amount > p.amount`)
    await some('invoices', `status = 'unpaid' AND amount_paid > 0`)
    await some('invoices', `status = 'paid'`)
  })

  it('has numbers without gaps, in the order of time', async () => {
    for (const table of ['invoices', 'purchase_orders', 'quotations', 'payments', 'contracts'])
      await none(`
        SELECT number FROM (SELECT number, regexp_replace(number, '\\D', '', 'g')::int AS n, row_number() OVER w AS row, created_at,
          lag(created_at) OVER w AS before FROM ${table} WINDOW w AS (PARTITION BY tenant_id ORDER BY id)) r
        WHERE n <> row OR created_at < before - interval '3 days'`)
  })

  it('has series that go on where the last invoice ended', async () => {
    await none(`
      SELECT r.number FROM invoices r LEFT JOIN invoices o ON o.tenant_id = r.tenant_id AND o.recurring_source_invoice_id = r.id
      WHERE r.is_recurring GROUP BY r.tenant_id, r.id
      HAVING r.recurrence_occurrence <> count(o.id) + 1 OR r.recurrence_next_issue_on <= max(o.occurrence_on)
        OR r.recurrence_next_issue_on <= r.recurrence_anchor_on OR r.recurrence_next_issue_on < now()::date - 1`)
    await some('invoices', 'is_recurring')
  })

  it('has leads that became contacts, companies and opportunities', async () => {
    await none(
      `SELECT id FROM leads WHERE (converted_at IS NOT NULL) <> (won_at IS NOT NULL) OR (won_at IS NOT NULL AND status <> 'closed')`,
    )
    await none(`
      SELECT l.id FROM leads l LEFT JOIN contacts c ON c.tenant_id = l.tenant_id AND c.id = l.contact_id AND c.name = l.name
      WHERE l.contact_id IS NOT NULL AND c.id IS NULL`)
    await none(`
      SELECT l.id FROM leads l LEFT JOIN lead_follow_ups f ON f.tenant_id = l.tenant_id AND f.lead_id = l.id AND f.status = 'pending'
      GROUP BY l.tenant_id, l.id HAVING l.next_follow_up_at IS DISTINCT FROM min(f.due_at)`)
    await some('leads', 'company_id IS NOT NULL')
  })

  it('has links that count their clicks', () =>
    none(`
      SELECT l.code FROM short_links l LEFT JOIN short_link_clicks c ON c.tenant_id = l.tenant_id AND c.link_id = l.id
      GROUP BY l.tenant_id, l.id HAVING l.click_count <> count(c.id) FILTER (WHERE c.device_type <> 'bot')
        OR min(c.clicked_at) < l.created_at OR l.last_clicked_at IS DISTINCT FROM max(c.clicked_at) FILTER (WHERE c.device_type <> 'bot')`))

  it('has a ledger of the platform that adds up', async () => {
    await none(`
      SELECT i.number FROM ledger_invoices i LEFT JOIN ledger_lines l ON l.tenant_id = i.tenant_id AND l.invoice_id = i.id
      GROUP BY i.tenant_id, i.id HAVING i.subtotal <> sum(l.amount)`)
    await none(`
      SELECT i.number FROM ledger_invoices i LEFT JOIN ledger_payments p ON p.tenant_id = i.tenant_id AND p.invoice_id = i.id AND p.status = 'succeeded'
      GROUP BY i.tenant_id, i.id HAVING i.amount_paid <> coalesce(sum(p.amount), 0)`)
    await none(`SELECT id FROM module_subscriptions WHERE period_end <= now()::date`)
    for (const status of ['open', 'paid']) await some('ledger_invoices', `status = '${status}'`)
    for (const status of ['failed', 'succeeded']) await some('ledger_payments', `status = '${status}'`)
  })

  it('leaves some of each kind in the trash, and notifications unread', async () => {
    for (const table of ['companies', 'contacts', 'vendors', 'products', 'leads', 'invoices', 'expenses', 'tasks', 'short_links'])
      await some(table, 'deleted_at IS NOT NULL')
    for (const read of ['', 'NOT']) await some('notifications', `read_at IS ${read} NULL`)
  })

  it('queues no mail, and nothing that asks strangers', () =>
    none(`SELECT name FROM pgboss.job WHERE name LIKE '%mail%' OR name LIKE '%push%'`))

  it('can be listed, shown and printed, in both', async () => {
    for (const one of [workspace, second]) {
      const client = await signedIn(one, one.email)
      for (const path of LISTS) {
        const list = await client.get(path, { query: { per_page: 100 } })
        assert.equal(list.status, 200, path)
        assert.ok(list.body.data.length >= 2, path)
        for (const { id } of list.body.data.slice(0, 2)) assert.equal((await client.get(`${path}/${id}`)).status, 200, path)
      }
      const { data } = (await client.get('/invoices', { query: { status: 'paid' } })).body
      const pdf = await client.get(`/invoices/${data[0].id}/pdf`)
      assert.equal(pdf.raw.subarray(0, 5).toString(), '%PDF-')
    }
  })

  it('goes on with the next number', async () => {
    const [vendor] = (await owner.get('/vendors')).body.data
    const { body } = await owner.post('/purchase-orders', { vendor_id: vendor.id, title: 'The next one' })
    assert.equal(body.data.number, 'PO-00061')
  })

  it('may be made again beside the first', async () => {
    const [third] = await makeDemo(world.services, { workspaces: 1, records: 5, seed: 2, password: PASSWORD })
    assert.equal(third!.slug, `${workspace.slug}-2`)
  })
})

/** Workspace tables that the demo leaves empty, each with its reason. */
const MAY_BE_EMPTY = new Set([
  'payment_checkouts', // the provider would have to know them
  'invoice_reminders', // no reminders are sent
  'pay_links', // only hashes are stored: each mail creates its own
  ...['access_tokens', 'api_keys', 'one_time_tokens', 'passkeys', 'two_factors'], // credentials, which someone must hold
  // running work
  ...['job_runs', 'job_days', 'daily_digests', 'lead_import_chunks', 'lead_import_uploads', 'lead_import_records'],
  ...['idempotency_keys', 'rate_limits', 'lead_webhook_signatures'], // protection against repetition
  ...['event_feeds', 'webhook_deliveries', 'webhook_endpoints'], // followers of events; there are none yet
  ...['bulk_batches', 'bulk_rows'], // bulk changes of records
  ...['imports', 'import_chunks', 'import_records', 'import_failures', 'gathered_news'], // uploaded files
  'document_texts', // custom texts that replace the default ones
  'email_message_files', // attachments of drafts
  'users_deleted_with_tenant', // workspaces in the trash
  'unproven_workspaces', // workspaces whose owner hasn't confirmed the address
])

/** Initial status of records that have no drafts. */
const BEGINNINGS: Record<string, string> = { projects: 'planned', tasks: 'todo' }

const LISTS = [
  ...['/users', '/roles', '/companies', '/contacts', '/leads', '/opportunities', '/vendors', '/products', '/warehouses'],
  ...['/quotations', '/estimates', '/contracts', '/invoices', '/payments', '/credit-notes', '/purchase-orders', '/expenses'],
  ...['/projects', '/tasks', '/employees', '/assets', '/documents', '/short-links', '/resellers'],
]

/** Asserts that both workspaces have such rows. */
async function some(table: string, where: string) {
  const rows = await world.sql(`SELECT DISTINCT tenant_id FROM ${table} WHERE tenant_id = ANY ($1) AND ${where}`, [
    [workspace.id, second.id],
  ])
  assert.equal(rows.length, 2, `${table} where ${where}`)
}

describe('the calendar of the demo', () => {
  it('counts working days up to now', () => {
    const friday = calendarOf('Europe/Berlin', '2026-11-20T12:00:00Z') // half past the fifth of ten working hours
    assert.equal(friday.instant(friday.days), undefined)
    assert.equal(friday.instant(Math.floor(friday.days)), '2026-11-20T07:00:00.000Z')
    assert.equal(friday.dayOf('2026-11-20T12:00:00Z'), friday.days)
    const sunday = calendarOf('Europe/Berlin', '2026-11-22T12:00:00Z')
    assert.match(sunday.instant(sunday.days - 0.01)!, /^2026-11-20T16:5/)
    assert.equal(friday.date(0, 3), '2025-05-23')
  })
})
