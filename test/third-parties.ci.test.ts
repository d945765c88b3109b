/**
 * API documents in third-party tools: Prism as a proxy compares every GET with its document, and openapi-typescript generates
 * types that compile strictly. npm fetches their packages for this test only.
 */
// CI stage: clients
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fillDemo } from '#kernel/demo/parts.ts'
import type { Operation } from './contract/operations.ts'
import { addressOf, requestsIn } from './contract/requests.ts'
import { startContract } from './contract/world.ts'
import { freePort } from './free-port.ts'

const root = join(import.meta.dirname, '..')
const apis = [
  ['workspace', '/api/tenant/v1'],
  ['platform', '/api/central/v1'],
] as const

/** Returns whether npm has fetched packages into a folder: false without a registry that replies in time. */
function fetched(packages: string[], folder: string) {
  try {
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--fetch-timeout=60000']
    execFileSync('npm', ['install', ...options, ...packages], {
      cwd: folder,
      stdio: 'pipe',
      timeout: 240_000,
      killSignal: 'SIGKILL',
    })
    return true
  } catch (error) {
    console.log(`The clients of others are left out: ${(error as Error).message.split('\n')[0]}`)
    return false
  }
}

const world = await startContract()
const firm = await world.workspace({ name: 'Alpha' })
await fillDemo(world.services, firm.id, { records: 5, seed: 1 })
await world.app.listen({ port: 0, host: '127.0.0.1' })
const { port } = world.app.server.address() as { port: number }
const requests = requestsIn(world, firm)
const folder = mkdtempSync(join(tmpdir(), 'atrium-clients-'))
after(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}')
const packages = ['@stoplight/prism-cli@5', 'openapi-typescript@7', 'openapi-fetch@0']
const unfetched = fetched(packages, folder) ? false : 'npm can’t fetch their packages here'

for (const [api, base] of apis) {
  const document = (await world.root.get(`${base}/openapi.json`)).raw
  const file = join(folder, `${api}.json`)
  writeFileSync(file, document)

  describe(`Prism before the ${api} API`, () => {
    /** Operations at the root have another server than the proxy's. */
    const ours = world.operations.filter((one) => one.api === api && one.method === 'GET' && one.path.startsWith(`${base}/`))

    it('finds every GET and its reply as the document says', { skip: unfetched }, async () => {
      const own = await freePort()
      const upstream = `http://127.0.0.1:${port}${base}`
      const args = ['proxy', file, upstream, '--host', '127.0.0.1', '--port', String(own), '--errors', 'false']
      const prism = spawn(join(folder, 'node_modules/.bin/prism'), args, { stdio: ['ignore', 'pipe', 'pipe'] })
      after(() => prism.kill())
      let told = ''
      for (const stream of [prism.stdout, prism.stderr]) stream.on('data', (chunk) => (told += chunk))
      for (let tries = 0; !told.includes('listening'); tries++) {
        assert.ok(tries < 300 && prism.exitCode === null, told)
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      const wrong: string[] = []
      for (const operation of ours) wrong.push(...(await violations(operation, `http://127.0.0.1:${own}`)))
      assert.deepEqual(wrong, [])
      prism.kill()
    })

    async function violations(operation: Operation, through: string) {
      const request = await requests.requestOf(operation, { reuse: true })
      await world.sql('DELETE FROM rate_limits')
      const address = addressOf(request).slice(base.length)
      const query = new URLSearchParams(request.query).toString()
      const reply = await fetch(`${through}${address}${query && `?${query}`}`, {
        headers: { ...request.headers, ...(request.token ? { authorization: `Bearer ${request.token}` } : {}) },
        redirect: 'manual',
      })
      await reply.arrayBuffer()
      const found = JSON.parse(reply.headers.get('sl-violations') ?? '[]') as {
        message: string
        location: string[]
        severity: string
      }[]
      const grave = found.filter(({ severity }) => severity === 'Error')
      return grave.map(({ message, location }) => `${operation.at} ${reply.status} ${location.join('.')}: ${message}`)
    }
  })
}

it('openapi-typescript and openapi-fetch compile strictly', { skip: unfetched }, () => {
  for (const [api] of apis)
    execFileSync(join(folder, 'node_modules/.bin/openapi-typescript'), [`${api}.json`, '-o', `${api}.ts`], {
      cwd: folder,
      stdio: 'pipe',
    })
  writeFileSync(
    join(folder, 'client.ts'),
    `import createClient from 'openapi-fetch'
import type { paths as Platform } from './platform.ts'
import type { paths as Workspace } from './workspace.ts'

const workspace = createClient<Workspace>({ baseUrl: 'http://localhost:3000/api/tenant/v1' })
const platform = createClient<Platform>({ baseUrl: 'http://localhost:3000/api/central/v1' })

const { data, error } = await workspace.POST('/vendors', { body: { name: 'Nordwind' }, params: { header: { 'Idempotency-Key': 'a' } } })
if (error) console.log(error.code satisfies string, error.errors?.name)
else console.log(data.data.id satisfies number, data.data.email satisfies string | null)

const list = await workspace.GET('/vendors', { params: { query: { page: 1, trashed: 'with', sort: 'name' } } })
for (const vendor of list.data?.data ?? []) console.log(vendor.name satisfies string)
const settings = await workspace.GET('/settings')
console.log(settings.data?.data.settings.tax_rounding satisfies 'line' | 'document' | undefined)
const tenants = await platform.GET('/tenants/{id}', { params: { path: { id: 1 } } })
console.log(tenants.data?.data.slug)

// @ts-expect-error: a name is required
await workspace.POST('/vendors', { body: {} })
// @ts-expect-error: no such path
await workspace.GET('/vendor')
`,
  )
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes']
  const modules = ['--module', 'nodenext', '--target', 'esnext', '--allowImportingTsExtensions', '--types', '']
  execFileSync(join(root, 'node_modules/.bin/tsc'), [...options, ...modules, 'client.ts'], { cwd: folder, encoding: 'utf8' })
})
