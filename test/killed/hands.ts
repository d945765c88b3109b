/**
 * Clients that use many modules at once during kills. Each records acknowledged writes, and repeats unacknowledged requests with
 * the same Idempotency-Key.
 */
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from './ledger.ts'

export interface Client {
  over: boolean
  /** Returns the reply's data; undefined: it was interrupted between steps, and its key is locked for five minutes. */
  post(path: string, body?: unknown): Promise<any>
  put(path: string, body: unknown): Promise<any>
  get(path: string): Promise<any>
}

/** Shared records of all clients. */
export interface Firm {
  vendor: number
  /** Products that are purchased, and that are transferred. */
  bought: number
  moved: number
  store: number
  shop: number
  clerk: number
  employees: number[]
  codes: string[]
}

const lines = [{ name: 'Rooms', description: 'Rooms', quantity: 1, unit_price: 100 }]
const today = Temporal.Now.plainDateISO('UTC')

/** Record types that are only created: path, table, and the column with a unique name. */
const PLAIN: { path: string; table: string; column: string; body: object }[] = [
  { path: '/contacts', table: 'contacts', column: 'name', body: {} },
  { path: '/expenses', table: 'expenses', column: 'title', body: { amount: 12.5 } },
  { path: '/estimates', table: 'estimates', column: 'title', body: { lines } },
  { path: '/quotations', table: 'quotations', column: 'title', body: { lines } },
  { path: '/contracts', table: 'contracts', column: 'title', body: {} },
  { path: '/credit-notes', table: 'credit_notes', column: 'title', body: { lines } },
  { path: '/assets', table: 'assets', column: 'name', body: {} },
  { path: '/projects', table: 'projects', column: 'title', body: {} },
  { path: '/opportunities', table: 'opportunities', column: 'name', body: {} },
]

/** Creates a record with a unique name and records it in the ledger. */
async function make({ made }: Ledger, client: Client, { path, table, column, body }: (typeof PLAIN)[number]) {
  const name = crypto.randomUUID()
  made.begin(table, column, name)
  const data = await client.post(path, { [column]: name, ...body })
  if (data) made.acknowledged(table, column, name, data)
  return data
}

const HANDS: Record<string, (ledger: Ledger, client: Client, firm: Firm) => Promise<unknown>> = {
  async records(ledger, client) {
    for (const kind of PLAIN) await make(ledger, client, kind)
  },

  async buying(ledger, client, { vendor, bought, store }) {
    const lines = [1, 2].map((quantity) => ({ description: 'Desk', quantity, unit_price: 100, product_id: bought }))
    const { id } = await make(ledger, client, {
      path: '/purchase-orders',
      table: 'purchase_orders',
      column: 'title',
      body: { vendor_id: vendor, lines },
    })
    await client.post(`/purchase-orders/${id}/send`)
    await client.post(`/purchase-orders/${id}/receive`, { status: 'received', warehouse_id: store })
    ledger.received += 3
  },

  async moving(ledger, client, { moved, store, shop }) {
    const stock = { product_id: moved, warehouse_id: store, type: 'in', quantity: 3 }
    await make(ledger, client, { path: '/inventory/stock/adjust', table: 'stock_movements', column: 'notes', body: stock })
    ledger.adjusted += 3
    const transfer = { from_warehouse_id: store, to_warehouse_id: shop, lines: [{ product_id: moved, quantity: 2 }] }
    const { id } = await make(ledger, client, {
      path: '/inventory/transfers',
      table: 'stock_transfers',
      column: 'notes',
      body: transfer,
    })
    await client.post(`/inventory/transfers/${id}/dispatch`)
    ledger.dispatched += 2
    await client.post(`/inventory/transfers/${id}/complete`)
    ledger.completed += 2
  },

  async invoicing(ledger, client) {
    const { id } = await make(ledger, client, { path: '/invoices', table: 'invoices', column: 'title', body: { lines } })
    await client.post(`/invoices/${id}/send`)
    const some = { amount: 60, method: 'cash', allocations: [{ invoice_id: id, amount: 60 }] }
    await make(ledger, client, { path: '/payments', table: 'payments', column: 'reference', body: some })
    const rest = await make(ledger, client, {
      path: '/payments',
      table: 'payments',
      column: 'reference',
      body: { amount: 50, method: 'card' },
    })
    await client.post(`/payments/${rest.id}/allocate`, { allocations: [{ invoice_id: id, amount: 40 }] })
    ledger.paid.push(id)
  },

  async series(ledger, client) {
    const weeks = 9
    const first = today.subtract({ weeks })
    const recurrence = { is_recurring: true, recurrence_frequency: 'weekly', recurrence_next_issue_on: first }
    const body = { lines, issue_date: first.subtract({ days: 3 }), ...recurrence }
    const { id } = await make(ledger, client, { path: '/invoices', table: 'invoices', column: 'title', body })
    await client.post(`/invoices/${id}/send`)
    ledger.series.set(id, weeks + 1)
  },

  async leads(ledger, client) {
    const { id } = await make(ledger, client, { path: '/leads', table: 'leads', column: 'name', body: { lead_type: 'direct' } })
    for (let n = 0; n < 3; n++)
      await make(ledger, client, { path: `/leads/${id}/notes`, table: 'notes', column: 'body', body: {} })
  },

  async imports(ledger, client) {
    const [rows, name] = [1500, crypto.randomUUID()]
    const file = new File(
      [`Name,Email\n${Array.from({ length: rows }, (_, n) => `Lead ${n},${n}@${name}.test`).join('\n')}\n`],
      `${name}.csv`,
      { type: 'text/csv' },
    )
    ledger.made.begin('lead_imports', 'file_name', file.name)
    const uploaded = await client.post('/leads/imports', { file })
    if (!uploaded) return
    const { uuid } = uploaded.import
    ledger.made.acknowledged('lead_imports', 'file_name', file.name, {})
    await client.put(`/leads/imports/${uuid}`, { mapping: { name: 'Name', email: 'Email' } })
    await client.put(`/leads/imports/${uuid}/options`, { duplicate_mode: 'keep', unique_fields: [] })
    // If the reply is lost for good, it is unknown whether the run has started.
    if (!(await client.post(`/leads/imports/${uuid}/run`))) return
    ledger.imports.set(name, rows)
    while (!client.over && (await client.get(`/leads/imports/${uuid}`)).status !== 'completed') await sleep(200)
  },

  async tasks(ledger, client, { clerk }) {
    await make(ledger, client, { path: '/tasks', table: 'tasks', column: 'title', body: { assigned_to: clerk } })
  },

  async documents(ledger, client) {
    const bytes = randomBytes(100_000 + Math.floor(Math.random() * 400_000))
    const file = new File(['%PDF-1.7\n', bytes], 'scan.pdf', { type: 'application/pdf' })
    const { id } = await make(ledger, client, { path: '/documents', table: 'documents', column: 'title', body: { file } })
    const sent = Buffer.from(await file.arrayBuffer())
    ledger.files.set(id, createHash('sha256').update(sent).digest('hex'))
  },

  async attendance(ledger, client, { employees }) {
    const nth = ledger.attendances++
    const date = today.subtract({ days: 1 + Math.floor(nth / employees.length) })
    const body = { employee_id: employees[nth % employees.length], date, check_in: '09:00', change_reason: 'Forgotten' }
    await make(ledger, client, { path: '/attendance-records', table: 'attendance_records', column: 'notes', body })
  },

  /** Invited users get a mail. */
  async users(ledger, client) {
    const name = crypto.randomUUID()
    const email = `${name}@invited.test`
    ledger.made.begin('users', 'email', email)
    const data = await client.post('/users', { name, email })
    if (data) ledger.made.acknowledged('users', 'email', email, data)
    await sleep(300)
  },
}

/** Runs all clients concurrently until stopped. */
export const work = (ledger: Ledger, client: Client, firm: Firm) =>
  Promise.all(
    Object.values(HANDS).map(async (hand) => {
      while (!client.over) await hand(ledger, client, firm)
    }),
  )

/** Operator: creates workspaces and gives them modules. */
export async function operate(ledger: Ledger, central: Client, modules: number[]) {
  while (!central.over) {
    const name = crypto.randomUUID()
    ledger.made.begin('tenants', 'company_name', name)
    const owner = { owner_name: 'Olive Owner', owner_email: `${name}@owners.test`, owner_password: 'a good passphrase' }
    const made = await central.post('/tenants', { company_name: name, email: `${name}@offices.test`, ...owner })
    if (!made) continue
    ledger.made.acknowledged('tenants', 'company_name', name, made)
    for (const module_id of modules) {
      await central.post(`/tenants/${made.id}/modules`, { module_id })
      ledger.installed++
    }
    await sleep(500)
  }
}

/** Visitor: follows short links. */
export async function follow(ledger: Ledger, url: string, client: Client, { codes }: Firm) {
  while (!client.over) {
    const code = codes[Math.floor(Math.random() * codes.length)]
    const headers = { 'x-forwarded-for': `10.${[...randomBytes(3)].join('.')}` }
    const reply = await fetch(`${url}/r/${code}`, { redirect: 'manual', headers }).catch(() => undefined)
    if (reply?.status === 302) ledger.clicks.push(performance.now())
    await sleep(reply ? 10 : 100)
  }
}
