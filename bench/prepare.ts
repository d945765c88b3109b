/** Fills the database of a running Atrium and prepares what will be asked: the request, its reply, and the SQL behind it. */
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { issueToken } from '#kernel/auth/tokens.ts'
import { inPublic, originOf, type Services } from '#kernel/context.ts'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { fillDemo } from '#kernel/modules/demo.ts'
import { readConfig } from '#kernel/process/config.ts'
import { startServices } from '#kernel/process/start.ts'
import { createApp } from '../src/app.ts'
import { makeDemoWorkspace } from '../src/demo.ts'
import type { BareRoute } from './bare.ts'
import { capture } from './capture.ts'
import type { Target } from './load.ts'

export interface Case {
  key: string
  name: string
  target: Target
  bare: BareRoute
}

export interface Prepared {
  /** The superuser's, who sees past row-level security. */
  databaseUrl: string
  /** How long it took to make the larger workspace. */
  seededIn: number
  cases: Case[]
}

const SMALL = 1000
/** Printing is limited to 30 a minute by user: so many users print one after the other. */
const VIEWERS = 300

export async function prepare(base: string, env: Record<string, string>, records: number): Promise<Prepared> {
  const config = readConfig({ ...env, DATABASE_URL: undefined })
  const services = await startServices(config, { worker: false, log: pino({ level: 'error' }) })
  const { adminUrl } = await startEmbedded({ dataDir: config.DATA_DIR })
  const databaseUrl = Object.assign(new URL(adminUrl), { pathname: '/atrium' }).href
  const app = await createApp(services)
  try {
    const { token: small } = await workspace(services, Math.min(SMALL, records))
    const began = performance.now()
    const { token: large, tokens } = await workspace(services, records, VIEWERS)
    const seededIn = performance.now() - began
    return { databaseUrl, seededIn, cases: await casesOf(app, base, { small, large, tokens, records }) }
  } finally {
    await app.close()
    await services.stop()
  }
}

/** A filled workspace; answers its owner's bearer token, and those of so many others who may see everything. */
async function workspace(services: Services, records: number, viewers = 0) {
  const { id, ownerId } = await makeDemoWorkspace(services, 'only for the benchmark')
  await fillDemo(services, id, { records, seed: 1 })
  return inPublic(originOf(services), 'write', async (ctx) => {
    const stamps = { tenant_id: id, created_at: ctx.now, updated_at: ctx.now }
    const tokenOf = async (user_id: number) => (await issueToken(ctx, { tenant_id: id, user_id }, 'benchmark', 24 * 3600)).token
    const admin = ctx.tx.selectFrom('roles').select('id').where('tenant_id', '=', id).where('kind', '=', 'admin')
    const { id: role_id } = await admin.executeTakeFirstOrThrow()
    const tokens: string[] = []
    for (let n = 0; n < viewers; n++) {
      const person = { ...stamps, name: `Viewer ${n}`, email: `viewer${n}@northwind-trading.example`, email_verified_at: ctx.now }
      const user = await ctx.tx.insertInto('users').values(person).returning('id').executeTakeFirstOrThrow()
      await ctx.tx.insertInto('user_roles').values({ tenant_id: id, user_id: user.id, role_id }).execute()
      tokens.push(await tokenOf(user.id))
    }
    return { token: await tokenOf(ownerId), tokens }
  })
}

async function casesOf(
  app: FastifyInstance,
  base: string,
  has: { small: string; large: string; tokens: string[]; records: number },
) {
  const orders = '/api/tenant/v1/purchase-orders'
  const ask = (token: string, path: string, body?: object) =>
    app.inject({ method: body ? 'POST' : 'GET', url: path, headers: { authorization: `Bearer ${token}` }, payload: body })

  async function caseOf(key: string, name: string, token: string, path: string, body?: object): Promise<Case> {
    await ask(token, path, body) // what is read only once, is read now
    let reply: Awaited<ReturnType<typeof ask>> | undefined
    const statements = await capture(async () => (reply = await ask(token, path, body)))
    if (!reply || reply.statusCode >= 300) throw new Error(`${path} answered ${reply?.statusCode}: ${reply?.body}`)
    const method = body ? 'POST' : 'GET'
    const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) }
    const bare: BareRoute = {
      method,
      status: reply.statusCode,
      type: String(reply.headers['content-type']),
      bytes: reply.rawPayload,
      statements: body ? statements.filter(({ text }) => /\binsert into\b/i.test(text)) : statements,
      created: body ? reply.json().data : undefined,
    }
    return { key, name, bare, target: { url: base + path, method, headers, body: body && JSON.stringify(body) } }
  }

  const received: { id: number; vendor_id: number }[] = []
  for (let page = 1; page <= 20; page++)
    received.push(...(await ask(has.large, `${orders}?status=received&per_page=100&page=${page}`)).json().data)
  const details = await Promise.all(
    received.slice(0, 100).map(async ({ id }) => (await ask(has.large, `${orders}/${id}`)).json().data),
  )
  const ten = details.find((order) => order.lines.length === 10)
  const print = (id: number) => `${orders}/${id}/pdf`
  const different = await caseOf(
    'pdfDifferent',
    'PDF, one at a time, each another one (6 lines on average)',
    has.large,
    print(ten.id),
  )
  const lines = ten.lines.map(({ description, quantity, unit_price, tax_rate, product_id }: any) => {
    return { description, quantity, unit_price, tax_rate, product_id }
  })
  const same = await caseOf('pdfSame', 'PDF, one at a time, the same ten lines', has.large, print(ten.id))
  const { records } = has
  return [
    await caseOf('listSmall', `list of 25 among ${Math.min(SMALL, records).toLocaleString('en')}`, has.small, orders),
    await caseOf('listLarge', `list of 25 among ${records.toLocaleString('en')}`, has.large, orders),
    await caseOf('show', 'show with ten lines', has.large, `${orders}/${ten.id}`),
    await caseOf('stats', 'stats', has.large, `${orders}/stats`),
    { ...same, target: { ...same.target, tokens: [...has.tokens] } },
    { ...different, target: { ...different.target, paths: received.map(({ id }) => print(id)), tokens: [...has.tokens] } },
    await caseOf('create', 'create with ten lines', has.large, orders, { vendor_id: ten.vendor_id, title: 'Measured', lines }),
  ]
}
