/**
 * Tests speak HTTP to the real application on real PostgreSQL: one server a run, one database a file, cloned from a migrated
 * template. `await startTest()` at the top of a file gives a world to work in; it is taken down when the file ends.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import pg from 'pg'
import { keepDirectory } from '#kernel/auth/directory.ts'
import { hashPassword, passwordCost } from '#kernel/auth/passwords.ts'
import { issueToken } from '#kernel/auth/tokens.ts'
import { readConfig } from '#kernel/config.ts'
import { type Ctx, inPublic, inWorkspace, originOf } from '#kernel/context.ts'
import { type Started, startServices } from '#kernel/process/start.ts'
import { systemSession } from '#kernel/tenancy/session.ts'
import { ensureFirstAdmin } from '#platform/account/public.ts'
import { installAll, provision } from '#platform/tenants/public.ts'
import { createApp } from '../src/app.ts'
import { changesAccounts, checkDirectory, fillDirectory } from './citus/directory.ts'
import { START } from './days.ts'
import { onceAtEnd } from './left-open.ts'
import { secretsIn, watchedLog } from './planted-secrets.ts'
import { testServer } from './server.ts'

export interface Reply<T = any> {
  status: number
  body: { status: string; message: string; data: T; meta: any; code?: string; errors?: Record<string, string[]> }
  headers: Record<string, unknown>
  raw: Buffer
}

export type Options = { headers?: Record<string, string>; query?: Record<string, string | number | boolean> }
export interface Client {
  get(path: string, options?: Options): Promise<Reply>
  /** As JSON; a body with a file in it as a form. */
  post(path: string, body?: unknown, options?: Options): Promise<Reply>
  put(path: string, body?: unknown, options?: Options): Promise<Reply>
  patch(path: string, body?: unknown, options?: Options): Promise<Reply>
  del(path: string, options?: Options): Promise<Reply>
}

export interface Person extends Client {
  id: number
  email: string
  token: string
}

export interface Workspace {
  id: number
  slug: string
  owner: Person
  /** A signed-in, verified user with exactly these permissions. */
  user(permissions: string[], name?: string): Promise<Person>
  /** Work inside the workspace as the system. */
  inside<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
}

export interface TestClock {
  now(): string
  /** Stops it at an instant. Undefined: it goes on from START by itself, by the time that has passed. */
  set(instant: string | undefined): void
}

/** Returns a clock that begins at START, whatever day the machine has, unless another instant is given. */
function testClock(start = START): TestClock {
  const began = performance.now()
  let fixed: string | undefined
  return {
    now: () => fixed ?? new Date(Date.parse(start) + performance.now() - began).toISOString(),
    set: (instant) => void (fixed = instant),
  }
}

export interface World {
  services: Started
  app: Awaited<ReturnType<typeof createApp>>
  clock: TestClock
  /** Paths below /api/tenant/v1. */
  anonymous: Client
  /** Nobody, at the root of the service. */
  root: Client
  /** The platform's first superadmin; paths below /api/central/v1. */
  admin: Person
  /** A platform client with a bearer token, or without. */
  central(token?: string): Client
  tenant(token?: string): Client
  workspace(options?: { modules?: string[]; name?: string; timezone?: string; currency?: string }): Promise<Workspace>
  /** Runs queued jobs until none waits; `due`: also what is due at the clock, `all`: also what is delayed. */
  drain(which?: 'ready' | 'due' | 'all'): Promise<void>
  /**
   * Plain SQL as the owner of the server, past row-level security. `now()` in it is the test's clock; leases and the queue go by the
   * database's own, which is `statement_timestamp()`.
   */
  sql(text: string, values?: unknown[]): Promise<any[]>
  /**
   * Fails the file where the log holds this text. The harness's password, its key, bearer tokens, and what requests and replies hold in
   * fields like `password` are looked for anyway.
   */
  secret(text: string): void
}

const PASSWORD = 'correct horse battery'
/** Signing in is what tests do most; src/kernel/auth/passwords.test.ts holds what it costs otherwise. */
Object.assign(passwordCost, { memory: 64, passes: 1 })
/** Hashed once: many workspaces are made. */
const passwordHash = hashPassword(PASSWORD)

/** A body that has a file among its fields, as a form sends it. */
export function formOf(body: unknown) {
  if (typeof body !== 'object' || !body) return undefined
  if (!Object.values(body).some((value) => value instanceof Blob)) return undefined
  const form = new FormData()
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue
    const all = Array.isArray(value) ? (value.length ? value : ['']) : [value ?? '']
    for (const one of all) form.append(Array.isArray(value) ? `${name}[]` : name, one instanceof Blob ? one : String(one))
  }
  return form
}

/** `log` gets every line that is logged. `machineClock`: the clock is the machine's, as that of real processes on the same database. */
export async function startTest(
  options: { roots?: string[]; env?: Record<string, string>; log?: (line: string) => void; machineClock?: true } = {},
): Promise<World> {
  const server = await testServer()
  const name = `atrium_test_${randomBytes(6).toString('hex')}`
  await server.createDatabase(name)
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-files-'))
  const config = readConfig({
    DATABASE_URL: server.urlOf(name),
    DATABASE_POOL_SIZE: '12',
    // As with the embedded one, which this is but for its address.
    ...(process.env.DATABASE_URL ? {} : { DATABASE_PREPARED_STATEMENTS: 'true' }),
    DATA_DIR: dataDir,
    APP_KEY: Buffer.alloc(32, 1).toString('base64'),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    ADMIN_EMAIL: 'admin@platform.test',
    ADMIN_PASSWORD: PASSWORD,
    BASE_URL: 'http://atrium.test',
    ...options.env,
  })
  const { log, plant, check } = watchedLog(options.log)
  for (const secret of [PASSWORD, config.APP_KEY.toString('base64')]) plant(secret)
  const clock = testClock(options.machineClock && new Date().toISOString())
  const services = await startServices(config, { clock, log, worker: false, roots: options.roots })
  await ensureFirstAdmin(services)
  const app = await createApp(services)
  const superuser = new pg.Pool({ connectionString: server.adminUrlOf(name), max: 2 })
  superuser.on('error', () => {}) // its connections may still be closing when the database is dropped

  const close = onceAtEnd(async () => {
    await app.close()
    const kept = services.database.isCluster ? await checkDirectory(superuser).catch((error) => error) : undefined
    await services.stop()
    await superuser.end()
    await server.dropDatabase(name)
    await server.release()
    rmSync(dataDir, { recursive: true, force: true })
    check()
    if (kept) throw kept
  })
  after(close)

  const client = (base: string, token?: string): Client => {
    const [, bearer] = /^\d+\|(.{20,})$/.exec(token ?? '') ?? []
    if (bearer) plant(bearer)
    const call = async (
      method: string,
      path: string,
      body: unknown,
      { headers = {}, query = {} }: Options = {},
    ): Promise<Reply> => {
      const reply = await app.inject({
        method: method as 'GET',
        url: base + path,
        query: Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)])),
        headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      })
      const json = /^application\/([\w.-]+\+)?json\b/.test(String(reply.headers['content-type']))
      const answer = json ? reply.json() : (undefined as never)
      for (const secret of [...secretsIn(body), ...secretsIn(answer?.data)]) plant(secret)
      return {
        status: reply.statusCode,
        body: answer,
        headers: reply.headers,
        raw: reply.rawPayload,
      }
    }
    return {
      get: (path, o) => call('GET', path, undefined, o),
      post: (path, body, o) => call('POST', path, formOf(body) ?? body, o),
      put: (path, body, o) => call('PUT', path, body, o),
      patch: (path, body, o) => call('PATCH', path, body, o),
      del: (path, o) => call('DELETE', path, undefined, o),
    }
  }
  const tenant = (token?: string) => client('/api/tenant/v1', token)
  const central = (token?: string) => client('/api/central/v1', token)

  async function person(tenant_id: number | null, user_id: number, email: string): Promise<Person> {
    const { token } = await inPublic(originOf(services), 'write', (ctx) =>
      issueToken(ctx, { tenant_id, user_id }, 'test', 3 * 365 * 24 * 3600),
    )
    return { ...(tenant_id === null ? central(token) : tenant(token)), id: user_id, email, token }
  }

  let made = 0
  async function workspace({
    modules,
    name = `Workspace ${++made}`,
    ...rest
  }: Parameters<World['workspace']>[0] = {}): Promise<Workspace> {
    const email = `owner${++made}@${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.test`
    const { id, ownerId } = await inPublic(originOf(services), 'write', async (ctx) =>
      provision(ctx, {
        company_name: name,
        email,
        ...rest,
        owner: { name: 'Olive Owner', email, verified: true, password_hash: await passwordHash },
      }),
    )
    await installAll(services, id, modules)
    const [{ slug }] = await sql('SELECT slug FROM tenants WHERE id = $1', [id])
    const inside: Workspace['inside'] = async (work) =>
      inWorkspace(originOf(services), await systemSession(services, id), 'write', work)
    let users = 0
    return {
      id,
      slug,
      owner: await person(id, ownerId, email),
      inside,
      async user(permissions, userName = `User ${++users}`) {
        const address = `${userName.toLowerCase().replace(/[^a-z0-9]+/g, '.')}.${++users}@${slug}.test`
        const now = clock.now()
        const userId = await inside(async (ctx) => {
          const stamps = { tenant_id: id, created_at: now, updated_at: now }
          const user = await ctx.tx
            .insertInto('users')
            .values({ ...stamps, name: userName, email: address, email_verified_at: now })
            .returning('id')
            .executeTakeFirstOrThrow()
          await keepDirectory(ctx, id, [user.id])
          const role = await ctx.tx
            .insertInto('roles')
            .values({ ...stamps, name: `role ${users} of ${userName}`, permissions })
            .returning('id')
            .executeTakeFirstOrThrow()
          await ctx.tx.insertInto('user_roles').values({ tenant_id: id, user_id: user.id, role_id: role.id }).execute()
          return user.id
        })
        return person(id, userId, address)
      },
    }
  }

  const sql: World['sql'] = async (text, values) => {
    const { rows } = await superuser.query(text.replace(/\bnow\(\)/g, `timestamptz '${clock.now()}'`), values)
    if (services.database.isCluster && changesAccounts(text)) await fillDirectory(superuser)
    return rows
  }
  const [{ id: adminId }] = await sql(`SELECT id FROM platform_users WHERE email = 'admin@platform.test'`)
  return {
    services,
    app,
    clock,
    anonymous: tenant(),
    root: client(''),
    admin: await person(null, Number(adminId), 'admin@platform.test'),
    central,
    tenant,
    workspace,
    drain: (which) => services.queue.drain(which),
    sql,
    secret: plant,
  }
}

export { PASSWORD }
