/**
 * Leads: a hundred thousand in the measured workspace; more are distributed to up to 49 others. Then import and export of a file
 * of that size.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { fillLeads } from '../fill-leads.ts'
import { aims, type Case, type Filled, type Stage, type Suite } from '../prepare.ts'

const leads = '/api/tenant/v1/leads'
const MOST = 100_000
const OTHERS = 49
let firm: Filled

export default {
  title: 'Leads',
  async cases({ services, workspace, ask, caseOf, inside }, records): Promise<Case[]> {
    firm = await workspace(300)
    const own = Math.min(records, MOST)
    await inside(firm.id, (ctx) => fillLeads(ctx, own))
    const rest = Math.ceil((records - own) / OTHERS)
    for (let n = 0; rest > 0 && n < OTHERS; n++) await inside((await workspace(20)).id, (ctx) => fillLeads(ctx, rest))
    await services.database.statement('VACUUM (ANALYZE)', [])
    const { token } = firm
    const [{ id }] = (await ask(token, `${leads}?per_page=1`)).json().data
    const among = `${own.toLocaleString('en')}${rest > 0 ? ` (${records.toLocaleString('en')} in all)` : ''}`
    const create = await caseOf('create', 'create', token, leads, {
      name: 'Measured',
      lead_type: 'direct',
      email: 'measured@lead.example',
    })
    return [
      { ...(await caseOf('list', `list of 25 among ${among}`, token, leads)), atLeast: aims.list },
      await caseOf('search', 'search by part of a name', token, `${leads}?search=ead%20777`),
      await caseOf('tag', 'those with a tag', token, `${leads}?tag_id=${await tagOf(ask, token)}`),
      { ...(await caseOf('show', 'show', token, `${leads}/${id}`)), atLeast: aims.show },
      await caseOf('board', 'board, ten of each stage', token, `${leads}/board?per_column=10`),
      await caseOf('stats', 'stats', token, `${leads}/stats`),
      // its ids are inside JSON, which the bare server can't repeat
      { ...create, bare: { ...create.bare, statements: [], created: undefined } },
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

const headersOf = (token: string) => ({ authorization: `Bearer ${token}` })

async function rate(base: string, token: string, path: string) {
  const began = performance.now()
  const reply = await fetch(base + path, { headers: headersOf(token) })
  const lines = (await reply.text()).split('\n').length - 2
  const seconds = (performance.now() - began) / 1000
  return `${Math.round(lines / seconds).toLocaleString('en')} rows a second`
}

/** Measures an import of new leads, while a list is read repeatedly. */
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
