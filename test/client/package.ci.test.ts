/** packages/client as a package: its quick start runs, its bundle is small, and the packed archive is complete. */
// CI stage: clients
import assert from 'node:assert/strict'
import { type ExecFileOptions, execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { bundled } from './bundle.ts'
import { startClientWorld } from './world.ts'

const root = join(import.meta.dirname, '../..')
const { world, baseUrl } = await startClientWorld()
const readme = readFileSync(join(root, 'packages/client/README.md'), 'utf8')
const [, program = '', prints = ''] = /^```ts\n(.*?)^```\n\nprints\n\n^```text\n(.*?)^```/ms.exec(readme)!

const run = async (command: string, args: string[], options: ExecFileOptions = {}) =>
  (await promisify(execFile)(command, args, { cwd: root, encoding: 'utf8', ...options })).stdout

/** Environment of the quick start: the service, and an API key for an empty workspace. */
async function environment() {
  const { owner } = await world.workspace({ modules: ['vendors'] })
  const { data } = (await owner.post('/api-keys', { name: 'Quick start', scopes: ['read', 'vendors.create', 'vendors.update'] }))
    .body
  return { PATH: process.env.PATH!, ATRIUM_URL: baseUrl, ATRIUM_KEY: data.key as string }
}

it('prints what its quick start shows', async () => {
  const args = ['--conditions=atrium-source', '--input-type=module-typescript', '-e', program]
  assert.equal(await run(process.execPath, args, { env: await environment() }), prints)
})

it('has less than 6 KB with all that it can, and leaves out what isn’t used', async () => {
  const sizeOf = async (what: string) => {
    const code = await bundled(`export ${what} from '@atrium/client'`)
    assert.doesNotMatch(code, /\bimport\b|\brequire\(/)
    return gzipSync(code).length
  }
  const [all, one] = [await sizeOf('*'), await sizeOf('{ workspaceClient }')]
  assert.ok(all < 6000 && one < all, `${all} and ${one} bytes`)
})

it('compiles strictly with TypeScript 5 and 7 as it is packed, and runs on the Node.js of the machine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-packed-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  await run('npm', ['pack', '-w', 'packages/client', '--pack-destination', folder])
  const home = join(folder, 'node_modules/@atrium/client')
  mkdirSync(home, { recursive: true })
  await run('tar', ['xzf', join(folder, globSync('*.tgz', { cwd: folder })[0]!), '--strip-components=1', '-C', home])
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  const packed = globSync('**/*.*', { cwd: home }).filter(
    (path) => !/^(README\.md|package\.json|dist\/.*\.(d\.ts|js))$/.test(path),
  )
  assert.deepEqual(packed, [])

  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}')
  writeFileSync(join(folder, 'process.d.ts'), 'declare const process: { env: Record<string, string | undefined> }\n')
  writeFileSync(join(folder, 'start.ts'), program)
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, types: [] }
  const compilerOptions = { ...strict, target: 'es2022', lib: ['es2023', 'dom'], module: 'nodenext' }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  for (const owner of ['.', 'packages/client']) {
    const compiler = join(root, owner, 'node_modules/typescript/bin/tsc')
    await run(process.execPath, [compiler, '-p', folder])
  }
  for (const node of [process.execPath, '/usr/bin/node'].filter(existsSync))
    assert.equal(await run(node, ['start.js'], { cwd: folder, env: await environment() }), prints)
})
