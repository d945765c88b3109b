/**
 * Test harness: HTTP to the real application on real PostgreSQL. One server per run, one database per file, cloned from a
 * migrated template. `await startTest()` at the top of a file returns the world, which is removed when the file ends.
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
  /** Sent as JSON, or as a form if the body contains a file. */
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
  /** Creates a signed-in, verified user with exactly these permissions. */
  user(permissions: string[], name?: string): Promise<Person>
  /** Runs work inside the workspace as the system. */
  inside<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
}

export interface TestClock {
  now(): string
  /** Stops the clock at an instant. Undefined: it continues from START by elapsed time. */
  set(instant: string | undefined): void
}

/** Returns a clock that starts at START, regardless of the machine's date, unless another instant is given. */
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
  /** Unauthenticated client of the root. */
  root: Client
  /** The platform's first superadmin; paths below /api/central/v1. */
  admin: Person
  /** Platform client with a bearer token, or without. */
  central(token?: string): Client
  tenant(token?: string): Client
  workspace(options?: { modules?: string[]; name?: string; timezone?: string; currency?: string }): Promise<Workspace>
  /** Runs queued jobs until none waits. `due`: also those due at the clock; `all`: also delayed ones. */
  drain(which?: 'ready' | 'due' | 'all'): Promise<void>
  /**
   * Runs SQL as the server's owner, bypassing row-level security. `now()` is the test's clock; leases and the queue use the
   * database's own, `statement_timestamp()`.
   */
  sql(text: string, values?: unknown[]): Promise<any[]>
  /**
   * Fails the file if the log contains this text. The harness's password, its key, bearer tokens, and fields like `password` of
   * requests and replies are checked automatically.
   */
  secret(text: string): void
}

const PASSWORD = 'correct horse battery'
/** Cheap hashing, because tests sign in often; src/kernel/auth/passwords.test.ts checks the real cost. */
Object.assign(passwordCost, { memory: 64, passes: 1 })
/** Hashed once, because many workspaces are created. */
const passwordHash = hashPassword(PASSWORD)

/** Returns a body with a file as a form. */
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

/** `log` receives every log line. `machineClock`: uses the machine's clock, as real processes on the same database do. */
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
    // Same setting as with the embedded server, which this is too.
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
  superuser.on('error', () => {}) // connections may still be closing when the database is dropped

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
