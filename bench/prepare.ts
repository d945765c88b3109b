/** Fills the database of a running Atrium and prepares the cases: request, reply, and its SQL. */
import pino from 'pino'
import { issueToken } from '#kernel/auth/tokens.ts'
import { readConfig } from '#kernel/config.ts'
import { type Ctx, inPublic, inWorkspace, originOf } from '#kernel/context.ts'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { fillDemo } from '#kernel/demo/parts.ts'
import { type Started, startServices } from '#kernel/process/start.ts'
import { systemSession } from '#kernel/tenancy/session.ts'
import { createApp } from '../src/app.ts'
import { makeDemoWorkspace } from '../src/demo/demo.ts'
import type { BareRoute } from './bare.ts'
import { capture } from './capture.ts'
import type { Target } from './load.ts'
import type { Server } from './servers.ts'
import type { Table } from './table.ts'

/** Minimum share of the speed of the same SQL on prepared plans, by kind of request (docs/performance.md). */
export const aims = { list: 0.75, show: 0.65, stats: 0.7, create: 0.75 }

/** Measured route with the bare server's equivalent. */
export interface Case {
  key: string
  name: string
  target: Target
  bare: BareRoute
  /** Minimum share of the same on prepared plans. Absent: only measured. */
  atLeast?: number
  /** Number of concurrent requests. Default: the run's. */
  by?: number
}

/** Workspace with demo records. */
export interface Filled {
  id: number
  /** Owner's bearer token. */
  token: string
  /** Tokens of other users who may see everything, for routes with a rate limit per user. */
  tokens: string[]
  /** Runs work in it as the system. */
  inside<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
}

type Reply = { statusCode: number; body: string; json(): any }

/** Tools for preparing a suite. The services are those of a second process on the measured database, without workers. */
export interface Stage {
  services: Started
  /** URL of the superuser, who bypasses row-level security. */
  databaseUrl: string
  workspace(records: number, viewers?: number): Promise<Filled>
  /** Runs work in a workspace as the system. */
  inside<T>(tenantId: number, work: (ctx: Ctx) => Promise<T>): Promise<T>
  ask(token: string, path: string, body?: object): Promise<Reply>
  caseOf(key: string, name: string, token: string, path: string, body?: object): Promise<Case>
  /** Returns a bearer token of a workspace's owner. */
  tokenOf(tenantId: number): Promise<string>
}

/** Options of a database that is kept between runs. */
export interface Kept {
  /** Number of small workspaces, and of records in the large one. */
  workspaces: number
  records: number
  /** Side that owns it, if two products are compared: each has its own. */
  side: string
  say(what: string): void
  /** Registers clean-up that runs however the run ends. */
  atEnd(work: () => Promise<void>): void
}

/** Cases measured together: `npm run bench -- --suite invoices`. */
export interface Suite {
  title: string
  /** Starts what the measured server needs before its own start. Returns settings, and a function to stop it. */
  surroundings?(): Promise<{ env: Record<string, string>; stop(): Promise<void> }>
  /**
   * Finds or creates a data folder that is kept between runs, and returns its path. Default: each run starts with an empty one.
   */
  kept?(given: Kept): Promise<string>
  /** Fills workspaces with about this number of records and returns the requests. */
  cases?(stage: Stage, records: number): Promise<Case[]>
  /** Returns figures (name and value) of work that isn't a single request, on the running server. */
  figures?(stage: Stage, base: string): Promise<[string, string][]>
  /** Requests to compare with another commit's, for a suite without cases. `url` is a path. */
  targets?(stage: Stage, only: string[]): Promise<{ name: string; target: Target }[]>
  /** Custom table instead of cases: fills workspaces, and returns the measurement to run when only Atrium is running. */
  table?(stage: Stage, records: number, only: string[]): Promise<(running: Running) => Promise<Table>>
}

/** Input of a custom table's measurement. */
export interface Running {
  atrium: Server
  /** Seconds per row. */
  seconds: number
  /** Rows to measure, by the beginning of their names; empty for all. */
  only: string[]
  say(what: string): void
}

/** Opens the database of a running Atrium for the work and closes it, so that only Atrium runs under load. */
export async function onStage<T>(base: string, env: Record<string, string>, work: (stage: Stage) => Promise<T>): Promise<T> {
  // No timeout, because filling may be slow on a busy machine.
  const config = readConfig({ ...env, DATABASE_URL: undefined, DATABASE_STATEMENT_TIMEOUT: '0' })
  const services = await startServices(config, { worker: false, log: pino({ level: 'error' }) })
  const { superuserUrl: databaseUrl } = await startEmbedded({ dataDir: config.DATA_DIR })
  const app = await createApp(services)
  const send = (token: string, path: string, body?: object) =>
    app.inject({ method: body ? 'POST' : 'GET', url: path, headers: { authorization: `Bearer ${token}` }, payload: body })

  async function caseOf(key: string, name: string, token: string, path: string, body?: object): Promise<Case> {
    await send(token, path, body) // warms up what is read only once
    let reply: Awaited<ReturnType<typeof send>> | undefined
    const statements = await capture(async () => (reply = await send(token, path, body)))
    if (!reply || reply.statusCode >= 300) throw new Error(`${path} answered ${reply?.statusCode}: ${reply?.body}`)
    const method = body ? 'POST' : 'GET'
    const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) }
    const bare: BareRoute = {
      method,
      status: reply.statusCode,
      type: String(reply.headers['content-type']),
      bytes: reply.rawPayload,
      statements: body ? statements.filter(({ text }) => /\binsert into\b/i.test(text)) : statements,
      created: body
        ? { id: reply.json().data.id, sequence: `${path.split('/').at(-1)!.replaceAll('-', '_')}_id_seq` }
        : undefined,
    }
    return { key, name, bare, target: { url: base + path, method, headers, body: body && JSON.stringify(body) } }
  }

  try {
    const workspace = (records: number, viewers = 0) => filled(services, records, viewers)
    return await work({
      services,
      databaseUrl,
      workspace,
      inside: (id, part) => inside(services, id, part),
      ask: send as Stage['ask'],
      caseOf,
      tokenOf: (id) => tokenOf(services, id),
    })
  } finally {
    await app.close()
    await services.stop()
  }
}

async function filled(services: Started, records: number, viewers: number): Promise<Filled> {
  const { id, ownerId } = await makeDemoWorkspace(services, 'only for the benchmark')
  await fillDemo(services, id, { records, seed: 1 })
  const people = await inPublic(originOf(services), 'write', async (ctx) => {
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
  return { id, ...people, inside: (work) => inside(services, id, work) }
}

const tokenOf = (services: Started, tenant_id: number) =>
  inPublic(originOf(services), 'write', async (ctx) => {
    const owner = ctx.tx.selectFrom('users').select('id').where('tenant_id', '=', tenant_id).where('is_owner', '=', true)
    const { id: user_id } = await owner.executeTakeFirstOrThrow()
    return (await issueToken(ctx, { tenant_id, user_id }, 'benchmark', 24 * 3600)).token
  })

const inside = async <T>(services: Started, id: number, work: (ctx: Ctx) => Promise<T>) =>
  inWorkspace(originOf(services), await systemSession(services, id), 'write', work)

/** Number of users for printing, which is limited to 30 a minute per user. */
export const VIEWERS = 300
