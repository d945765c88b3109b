/**
 * The limit of the machine: a bare Fastify server whose routes answer with fixed bytes, or with the rows of the same SQL that
 * Atrium sends: straight on pg, as superuser past row-level security, every statement on its own, planned anew each time
 * unless `named` has it prepared.
 */
import Fastify, { type FastifyReply } from 'fastify'
import pg from 'pg'
import type { Statement } from './capture.ts'

export interface BareRoute {
  method: 'GET' | 'POST'
  status: number
  type: string
  bytes: Uint8Array
  statements: Statement[]
  /** What a creation made when it was captured: repeated, it must be numbered anew. */
  created?: { id: number; number: string }
}

export interface BareJob {
  databaseUrl: string
  routes: BareRoute[]
  named: boolean
}

const CONNECTIONS = 16

/** Started by startBare in a process of its own. */
if (process.send) process.once('message', serve)

async function serve({ databaseUrl, routes, named }: BareJob) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS })
  const app = Fastify({ logger: { level: 'error' } })
  for (const [n, { method, status, type, bytes, statements: asked, created }] of routes.entries()) {
    const statements = asked.map((statement, m) => (named ? { ...statement, name: `route${n}_${m}` } : statement))
    const reply = (to: FastifyReply, payload: string | Buffer) => to.code(status).type(type).send(payload)
    const content = Buffer.from(bytes)
    app.route({ method, url: `/bytes/${n}`, handler: (_, to) => reply(to, content) })
    app.route({
      method,
      url: `/sql/${n}`,
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

/** What a creation inserts, in one transaction. Its number and its id are those of this time, wherever the captured ones stood. */
async function create(pool: pg.Pool, statements: Statement[], captured: { id: number; number: string }) {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const instead = new Map<unknown, unknown>()
    for (const statement of statements) {
      const values = statement.values.map((value) => instead.get(value) ?? value)
      const [row] = (await client.query({ ...statement, values })).rows
      if (row?.last) instead.set(captured.number, captured.number.replace(/\d+$/, row.last))
      if (row?.number) instead.set(captured.id, row.id)
    }
    await client.query('COMMIT')
    if (instead.size < 2) throw new Error('The captured statements take no number or make no record')
    return [...instead]
  } finally {
    client.release()
  }
}
