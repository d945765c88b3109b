/** packages/client as a package: its quick start runs, and a browser has little to load. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { startClientWorld } from './world.ts'

const root = join(import.meta.dirname, '../..')
const { world, baseUrl } = await startClientWorld()

it('prints what its quick start shows', async () => {
  const readme = readFileSync(join(root, 'packages/client/README.md'), 'utf8')
  const [, program, prints] = /^```ts\n(.*?)^```\n\nprints\n\n^```text\n(.*?)^```/ms.exec(readme)!
  const { owner } = await world.workspace({ modules: ['vendors'] })
  const { data } = (await owner.post('/api-keys', { name: 'Quick start', scopes: ['read', 'vendors.create', 'vendors.update'] }))
    .body
  const args = ['--conditions=atrium-source', '--input-type=module-typescript', '-e', program!]
  const env = { PATH: process.env.PATH!, ATRIUM_URL: baseUrl, ATRIUM_KEY: data.key }
  const child = spawn(process.execPath, args, { cwd: root, env })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void (said += chunk))
  await once(child, 'close')
  assert.equal(said, prints)
})

it('has less than 6 KB with all that it can, and leaves out what isn’t used', async () => {
  const sizeOf = async (what: string) => {
    const resolve = { conditionNames: ['atrium-source', 'import'] }
    const entry = `export ${what} from '@atrium/client'`
    const plugin = {
      name: 'entry',
      resolveId: (id: string) => (id === 'entry' ? '\0entry' : undefined),
      load: (id: string) => (id === '\0entry' ? entry : undefined),
    }
    const bundle = await rolldown({ input: 'entry', cwd: root, plugins: [plugin], platform: 'browser', resolve })
    const { output } = await bundle.generate({ minify: true })
    await bundle.close()
    assert.deepEqual([output.length, output[0].imports, /\bprocess\.(?!versions)/.test(output[0].code)], [1, [], false])
    return gzipSync(output[0].code).length
  }
  const [all, one] = [await sizeOf('*'), await sizeOf('{ workspaceClient }')]
  assert.ok(all < 6000 && one < all, `${all} and ${one} bytes`)
})
