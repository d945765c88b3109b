/** `npm run dev`: a workspace to sign in to, a readable log, and a restart after each change, on the same PostgreSQL. */
// CI stage: guide
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { prettyLine } from '../../tools/pretty-log.ts'

const root = join(import.meta.dirname, '../..')
const pretty = (entry: object) => stripVTControlCharacters(prettyLine(JSON.stringify(entry)))

it('shows a request in a line: how it ended and what it cost', () => {
  const request = {
    method: 'GET',
    route: '/api/tenant/v1/vendors',
    status: 200,
    ms: 12.3,
    workspace: 1,
    user: 2,
    db_ms: 4,
    statements: 3,
  }
  const line = pretty({ level: 30, time: 0, pid: 1, hostname: 'h', request_id: 'r', ...request, msg: 'request' })
  assert.match(line, /^\d\d:\d\d:\d\d GET \/api\/tenant\/v1\/vendors 200 12\.3 ms, 3 statements 4 ms, workspace 1, user 2$/)
})

it('shows a defect with its request and where it comes from, and what is no log line as it is', () => {
  const line = pretty({
    level: 50,
    time: 0,
    request_id: 'r-1',
    err: { message: 'no', stack: 'Error: no\n    at there' },
    msg: 'defect',
  })
  assert.match(line, /defect \(r-1\)\nError: no\n {4}at there$/)
  assert.equal(prettyLine('Atrium is ready (1 s).'), 'Atrium is ready (1 s).')
  assert.equal(prettyLine('{"level":'), '{"level":')
})

it('makes a workspace to sign in to, and starts anew with a change while PostgreSQL stays', {
  timeout: 300_000,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-dev-'))
  const port = await freePort()
  const { DATABASE_URL: _, NODE_TEST_CONTEXT: __, ...env } = process.env
  const dev = spawn(process.execPath, [join(root, 'tools/dev.ts')], {
    env: { ...env, DATA_DIR: folder, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(async () => {
    dev.kill('SIGINT')
    if (dev.exitCode === null) await once(dev, 'exit')
    rmSync(folder, { recursive: true, force: true })
  })
  const lines = createInterface({ input: dev.stdout })[Symbol.asyncIterator]()
  const until = async (pattern: RegExp) => {
    for (;;) {
      const { value, done } = await lines.next()
      assert.ok(!done, `It ended before it said ${pattern}.`)
      const found = pattern.exec(stripVTControlCharacters(value))
      if (found) return found
    }
  }
  const [, workspace, email, password] = await until(/Sign in +workspace (\S+), (\S+), password: (.+)$/)
  const base = `http://127.0.0.1:${port}/api/tenant/v1`
  const signIn = await fetch(`${base}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workspace, email, password }),
  })
  assert.equal(signIn.status, 200)
  const { data } = (await signIn.json()) as { data: { token: string } }
  const vendors = await fetch(`${base}/vendors`, { headers: { authorization: `Bearer ${data.token}` } })
  assert.ok(((await vendors.json()) as { data: unknown[] }).data.length > 0)
  await until(/GET \/api\/tenant\/v1\/vendors 200 [\d.]+ ms, \d+ statements/)

  const postmaster = () => readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]
  const before = postmaster()
  utimesSync(join(root, 'src/serve.ts'), new Date(), new Date())
  await until(/serve\.ts changed/)
  await until(/Atrium is ready/)
  assert.equal(postmaster(), before)
  assert.equal((await fetch(`${base}/vendors`, { headers: { authorization: `Bearer ${data.token}` } })).status, 200)
})

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
