/** Leads: a hundred thousand in the measured workspace; what is asked for beyond that lies in up to 49 others. Then a file of as many in and out. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import type { Case, Filled, Stage, Suite } from '../prepare.ts'

const leads = '/api/tenant/v1/leads'
const MOST = 100_000
const OTHERS = 49
let firm: Filled

export default {
  title: 'Leads',
  async cases({ services, workspace, ask, caseOf, inside }, records): Promise<Case[]> {
    firm = await workspace(300)
    const own = Math.min(records, MOST)
    await inside(firm.id, (ctx) => fill(ctx, own))
    const rest = Math.ceil((records - own) / OTHERS)
    for (let n = 0; rest > 0 && n < OTHERS; n++) await inside((await workspace(20)).id, (ctx) => fill(ctx, rest))
    await services.database.statement('VACUUM (ANALYZE)', [])
    const { token } = firm
    const [{ id }] = (await ask(token, `${leads}?per_page=1`)).json().data
    const among = `${own.toLocaleString('en')}${rest > 0 ? ` (${records.toLocaleString('en')} in all)` : ''}`
    const atLeast = 0.6
    const create = await caseOf('create', 'create', token, leads, {
      name: 'Measured',
      lead_type: 'direct',
      email: 'measured@lead.example',
    })
    return [
      { ...(await caseOf('list', `list of 25 among ${among}`, token, leads)), atLeast },
      await caseOf('search', 'search by part of a name', token, `${leads}?search=ead%20777`),
      await caseOf('tag', 'those with a tag', token, `${leads}?tag_id=${await tagOf(ask, token)}`),
      { ...(await caseOf('show', 'show', token, `${leads}/${id}`)), atLeast },
      await caseOf('board', 'board, ten of each stage', token, `${leads}/board?per_column=10`),
      await caseOf('stats', 'stats', token, `${leads}/stats`),
      { ...create, bare: { ...create.bare, statements: [], created: undefined } }, // its ids are inside of JSON, which the bare server can't repeat
    ]
  },
  async figures(_, base) {
    const { token } = firm
    return [
      ['export of all as CSV', await rate(base, token, `${leads}/export`)],
      [`import of ${MOST.toLocaleString('en')} rows, by e-mail and phone`, await importAll(base, token)],
    ]
  },
} satisfies Suite

const tagOf = async (ask: Stage['ask'], token: string) => (await ask(token, '/api/tenant/v1/lead-tags')).json().data[0].id

/** Five minutes apart, spread over stages and people; each with its type’s tag, every tenth with a follow-up. */
const fill = async (ctx: Ctx, count: number) => {
  const tenant = ctx.tenant.id
  const n = sql`generate_series(1, ${count}::int) n`
  const pick = (table: 'lead_stages' | 'users') =>
    sql`(select array_agg(id order by id) as ids from ${sql.table(table)} where tenant_id = ${tenant})`
  await sql`
    insert into leads (tenant_id, name, lead_type, email, phone, company, lead_value, priority, status, stage_id, assigned_to, created_by, created_at, updated_at)
    select ${tenant}, 'Lead ' || n, case when n % 3 = 0 then 'company' else 'direct' end, 'lead' || n || '@lead.example', '+1 212 ' || n,
      'Firm ' || n % 1000, n % 5000, 'medium', 'active', s.ids[1 + n % cardinality(s.ids)], u.ids[1 + n % cardinality(u.ids)],
      u.ids[1], ${ctx.now}::timestamptz - n * interval '5 minutes', ${ctx.now}::timestamptz - n * interval '5 minutes'
    from ${n}, ${pick('lead_stages')} s, ${pick('users')} u`.execute(ctx.tx)
  await sql`
    insert into lead_tag_links (tenant_id, lead_id, tag_id)
    select ${tenant}, l.id, t.id from leads l join lead_tags t on t.tenant_id = ${tenant} and t.system = l.lead_type
    where l.tenant_id = ${tenant} on conflict do nothing`.execute(ctx.tx)
  await sql`
    insert into lead_follow_ups (tenant_id, lead_id, title, due_at, created_at, updated_at)
    select ${tenant}, id, 'Call', created_at + interval '30 days', created_at, created_at
    from leads where tenant_id = ${tenant} and id % 10 = 0`.execute(ctx.tx)
  await sql`
    update leads set next_follow_up_at = created_at + interval '30 days' where tenant_id = ${tenant} and id % 10 = 0`.execute(
    ctx.tx,
  )
  await sql`select app.sum_tallies('leads')`.execute(ctx.tx)
}

const headersOf = (token: string) => ({ authorization: `Bearer ${token}` })

async function rate(base: string, token: string, path: string) {
  const began = performance.now()
  const reply = await fetch(base + path, { headers: headersOf(token) })
  const lines = (await reply.text()).split('\n').length - 2
  const seconds = (performance.now() - began) / 1000
  return `${Math.round(lines / seconds).toLocaleString('en')} rows a second`
}

/** New leads, none of which is there yet. Meanwhile a list is read, again and again. */
async function importAll(base: string, token: string) {
  const rows = Array.from({ length: MOST }, (_, n) => `New ${n},new${n}@import.example,+49 30 ${1_000_000 + n},Firm ${n % 999}`)
  const form = new FormData()
  form.append('file', new File([['Name,Email,Phone,Company', ...rows].join('\n')], 'leads.csv'))
  const call = async (method: string, path: string, body?: object) => {
    const isForm = body instanceof FormData
    const headers = { ...headersOf(token), ...(body && !isForm ? { 'content-type': 'application/json' } : {}) }
    const reply = await fetch(`${base}${leads}/imports${path}`, {
      method,
      headers,
      body: isForm ? body : body && JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${await reply.text()}`)
    return ((await reply.json()) as any).data
  }
  const { import: one, context } = await call('POST', '', form)
  await call('PUT', `/${one.uuid}`, { mapping: context.suggested_mapping })
  const began = performance.now()
  await call('POST', `/${one.uuid}/run`)
  const took: number[] = []
  for (;;) {
    const asked = performance.now()
    await (await fetch(base + leads, { headers: headersOf(token) })).arrayBuffer()
    took.push(performance.now() - asked)
    const { status, imported_count } = await call('GET', `/${one.uuid}`)
    if (status === 'failed') throw new Error('The import failed')
    if (status === 'completed') {
      const seconds = (performance.now() - began) / 1000
      const p99 = took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)]!
      return `${Math.round(imported_count / seconds).toLocaleString('en')} rows a second; a list meanwhile: p99 ${p99.toFixed(0)} ms`
    }
    await sleep(50)
  }
}
