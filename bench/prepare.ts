/** Fills the database of a running Atrium and prepares what will be asked: the request, its reply, and the SQL behind it. */
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

/** What part of the same SQL on prepared plans each kind of request reaches at least (docs/performance.md). */
export const aims = { list: 0.75, show: 0.65, stats: 0.7, create: 0.75 }

export interface Case {
  key: string
  name: string
  target: Target
  bare: BareRoute
  /** Of the same on prepared plans; none: it is only measured. */
  atLeast?: number
  /** How many ask at once; as many as the run says unless it is named. */
  by?: number
}

/** A workspace with the demo's records. */
export interface Filled {
  id: number
  /** Its owner's bearer token. */
  token: string
  /** Those of others who may see everything, for routes that are limited by user. */
  tokens: string[]
  /** Work in it, as the system. */
  inside<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
}

type Reply = { statusCode: number; body: string; json(): any }

/** What a suite prepares with. The services are those of a second process on the measured database, without workers. */
export interface Stage {
  services: Started
  /** The superuser's, who sees past row-level security. */
  databaseUrl: string
  workspace(records: number, viewers?: number): Promise<Filled>
  /** Work in a workspace, as the system. */
  inside<T>(tenantId: number, work: (ctx: Ctx) => Promise<T>): Promise<T>
  ask(token: string, path: string, body?: object): Promise<Reply>
  caseOf(key: string, name: string, token: string, path: string, body?: object): Promise<Case>
  /** A bearer token of a workspace's owner. */
  tokenOf(tenantId: number): Promise<string>
}

/** A database that is kept between runs. */
export interface Kept {
  /** How many small workspaces there are, and how many records in the large one. */
  workspaces: number
  records: number
  /** Whose it is, where two products are compared: each has its own. */
  side: string
  say(what: string): void
  /** Done whichever way the run ends. */
  atEnd(work: () => Promise<void>): void
}

/** What is measured together: `npm run bench -- --suite invoices`. */
export interface Suite {
  title: string
  /** Starts what the measured server needs around it, before it starts: its settings, and the end of it all. */
  surroundings?(): Promise<{ env: Record<string, string>; stop(): Promise<void> }>
  /** Finds or makes a data folder that is kept between runs, and gives its path; otherwise each run begins with an empty one. */
  kept?(given: Kept): Promise<string>
  /** Fills workspaces with about so many records and gives the requests. */
  cases?(stage: Stage, records: number): Promise<Case[]>
  /** Figures of work that is no single request, on the running server: name and value. */
  figures?(stage: Stage, base: string): Promise<[string, string][]>
  /** What is compared with another commit's, where there are no cases; `url` is a path. */
  targets?(stage: Stage, only: string[]): Promise<{ name: string; target: Target }[]>
  /** A table of its own in place of the cases: fills workspaces, and gives what is measured when nobody but Atrium is there. */
  table?(stage: Stage, records: number, only: string[]): Promise<(running: Running) => Promise<Table>>
}

/** What a suite with a table of its own measures. */
export interface Running {
  atrium: Server
  /** For each row. */
  seconds: number
  /** The rows that were asked for, by the beginning of their names; none: all. */
  only: string[]
  say(what: string): void
}

/** Opens the database of a running Atrium for the work, and closes it again, so that only Atrium is there when the load comes. */
export async function onStage<T>(base: string, env: Record<string, string>, work: (stage: Stage) => Promise<T>): Promise<T> {
  // A busy machine fills as slowly as it must.
  const config = readConfig({ ...env, DATABASE_URL: undefined, DATABASE_STATEMENT_TIMEOUT: '0' })
  const services = await startServices(config, { worker: false, log: pino({ level: 'error' }) })
  const { superuserUrl: databaseUrl } = await startEmbedded({ dataDir: config.DATA_DIR })
  const app = await createApp(services)
  const send = (token: string, path: string, body?: object) =>
    app.inject({ method: body ? 'POST' : 'GET', url: path, headers: { authorization: `Bearer ${token}` }, payload: body })

  async function caseOf(key: string, name: string, token: string, path: string, body?: object): Promise<Case> {
    await send(token, path, body) // what is read only once, is read now
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

/** Printing is limited to 30 a minute by user: so many users print one after the other. */
export const VIEWERS = 300
