/**
 * Limit of the machine: a bare Fastify server whose routes return fixed bytes, or the rows of Atrium's SQL. It uses pg directly,
 * as superuser without row-level security, one statement at a time, either planned each time or prepared as in Atrium.
 */
import Fastify, { type FastifyReply } from 'fastify'
import pg from 'pg'
import type { Statement } from './capture.ts'

/** Route of the bare server: a fixed reply, and Atrium's statements for it. */
export interface BareRoute {
  method: 'GET' | 'POST'
  status: number
  type: string
  bytes: Uint8Array
  statements: Statement[]
  /** Id and sequence of a captured creation. Repetitions need new ids. */
  created?: { id: number; sequence: string }
}

export interface BareJob {
  databaseUrl: string
  routes: BareRoute[]
}

const CONNECTIONS = 16

/** Runs in a process of its own, started by startBare. */
if (process.send) process.once('message', serve)

async function serve({ databaseUrl, routes }: BareJob) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS })
  const app = Fastify({ logger: { level: 'error' } })
  for (const [n, { method, status, type, bytes, statements: asked, created }] of routes.entries()) {
    const prepared = asked.map((statement, m) => ({ ...statement, name: `route${n}_${m}` }))
    const reply = (to: FastifyReply, payload: string | Buffer) => to.code(status).type(type).send(payload)
    const content = Buffer.from(bytes)
    app.route({ method, url: `/bytes/${n}`, handler: (_, to) => reply(to, content) })
    for (const [kind, statements] of Object.entries({ sql: asked, prepared }))
      app.route({
        method,
        url: `/${kind}/${n}`,
        handler: async (_, to) =>
          reply(to, JSON.stringify(created ? await create(pool, statements, created) : await read(pool, statements))),
      })
  }
  const address = await app.listen({ port: 0, host: 'localhost' })
  process.send!(address)
  process.on('disconnect', () => process.exit())
}

const read = (pool: pg.Pool, statements: Statement[]) =>
  Promise.all(statements.map(async (statement) => (await pool.query(statement)).rows))

/** Repeats the inserts of a creation in one transaction, with a new id each time. */
async function create(pool: pg.Pool, statements: Statement[], captured: { id: number; sequence: string }) {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const { rows } = await client.query({ name: 'id', text: 'SELECT nextval($1) AS id', values: [captured.sequence] })
    const made = []
    for (const statement of statements) {
      const values = statement.values.map((value) => (value === String(captured.id) ? rows[0].id : value)) // sent as text
      made.push((await client.query({ ...statement, values })).rows)
    }
    await client.query('COMMIT')
    return made
  } finally {
    client.release()
  }
}
