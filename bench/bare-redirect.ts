/**
 * Baseline of a redirect: a bare Fastify route with one indexed lookup on a prepared plan and a 302. Started by the suite of
 * short links.
 */
import Fastify from 'fastify'
import pg from 'pg'

const CONNECTIONS = 16

process.once('message', async (databaseUrl: string) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS })
  await pool.query('CREATE TABLE bare_redirects AS SELECT code, destination_url FROM short_links')
  await pool.query('ALTER TABLE bare_redirects ADD PRIMARY KEY (code)')
  await pool.query('ANALYZE bare_redirects')
  const app = Fastify()
  app.get<{ Params: { code: string } }>('/r/:code', async ({ params }, reply) => {
    const text = 'SELECT destination_url FROM bare_redirects WHERE code = $1'
    const { rows } = await pool.query({ name: 'redirect', text, values: [params.code] })
    return reply.redirect(rows[0].destination_url, 302)
  })
  process.send!(await app.listen({ port: 0, host: 'localhost' }))
})
process.on('disconnect', () => process.exit())
