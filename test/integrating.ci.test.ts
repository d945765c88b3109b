/**
 * Tests docs/integrating.md: its programs are saved, its commands run in order, and its verifiers check the service's signatures.
 */
// CI stage: clients
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newSecret, signedHeaders } from '#kernel/webhooks/signing.ts'
import { startClientWorld } from './client/world.ts'
import { PASSWORD } from './harness.ts'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/integrating.md'), 'utf8')
const blocks = [...page.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```/gms)].map(([, language, file, text]) => ({
  language: language!,
  file,
  text: text!,
}))
const { world, baseUrl } = await startClientWorld()

const folder = mkdtempSync(join(tmpdir(), 'atrium-integrating-'))
after(() => rmSync(folder, { recursive: true, force: true }))
before(() => {
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  mkdirSync(join(folder, 'node_modules/@atrium'), { recursive: true })
  symlinkSync(join(root, 'packages/client'), join(folder, 'node_modules/@atrium/client'))
  for (const { file, text } of blocks) if (file) writeFileSync(join(folder, file), text)
})

const missing = (program: string, ...args: string[]) => spawnSync(program, args).error && `there is no ${program}`

async function run(program: string, args: string[], env: Record<string, string>, input = '') {
  const child = spawn(program, args, { cwd: folder, env: { PATH: process.env.PATH!, ...env } })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void (said += chunk))
  child.stdin.on('error', () => {}).end(input)
  const [code] = await once(child, 'close')
  return { code, said }
}

describe('integrating', () => {
  it('leads from a key to a sync that goes both ways', { skip: missing('curl', '--version') }, async () => {
    const { owner } = await world.workspace({ modules: ['invoices'] })
    const NEXT = '--- next ---'
    const commands = blocks.flatMap(({ language, text }, n) => {
      const prints = blocks[n + 1]?.language === 'text' ? blocks[n + 1]!.text : ''
      return language === 'sh' ? [{ text, prints }] : []
    })
    const script = commands.map(({ text }) => text).join(`echo '${NEXT}'\n`)
    const env = { ATRIUM_URL: baseUrl, EMAIL: owner.email, PASSWORD, NODE_OPTIONS: '--conditions=atrium-source --no-warnings' }
    let isOver = false
    const worker = (async () => {
      for (; !isOver; await sleep(100)) await world.drain()
    })()
    const { code, said } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], env).finally(() => (isOver = true))
    await worker
    assert.equal(said, commands.map(({ prints }) => prints).join(`${NEXT}\n`))
    assert.equal(code, 0)
  })

  const [secret, other] = [newSecret(), newSecret()]
  const seconds = Math.floor(Date.now() / 1000)
  const message = { id: 'evt_1_1', seconds, body: '{"type":"vendor.created","data":{"name":"Müller & Söhne"}}' }
  const headers = signedHeaders([secret], message)
  const { body } = message
  const cases = [
    { what: 'a message of the product', headers, body, good: true },
    { what: 'one that is signed with two secrets', headers: signedHeaders([other, secret], message), body, good: true },
    { what: 'another body', headers, body: `${body} `, good: false },
    { what: 'another secret', headers: signedHeaders([other], message), body, good: false },
    { what: 'another id', headers: { ...headers, 'webhook-id': 'evt_1_2' }, body, good: false },
    { what: 'an old one', headers: signedHeaders([secret], { ...message, seconds: seconds - 3600 }), body, good: false },
    { what: 'a time that is none', headers: { ...headers, 'webhook-timestamp': 'soon' }, body, good: false },
  ]
  const verifiers: { file: string; compiler?: string[]; program: string; args?: string[] }[] = [
    { file: 'verify.mjs', program: process.execPath },
    { file: 'verify.py', program: 'python3' },
    { file: 'verify.php', program: 'php' },
    { file: 'verify.go', compiler: ['go', 'build', '-o', 'verify'], program: './verify', args: [] },
    { file: 'Verify.java', compiler: ['javac'], program: 'java', args: ['Verify'] },
  ]
  for (const { file, compiler, program, args = [file] } of verifiers) {
    it(`tells in ${file} who signed`, { skip: missing(compiler?.[0] ?? program, 'version') }, async () => {
      if (compiler) {
        const [name, ...options] = compiler
        const { code, said } = await run(name!, [...options, file], { HOME: folder })
        assert.equal(code, 0, said)
      }
      const judged = await Promise.all(
        cases.map(async ({ what, headers, body }) => {
          const env = {
            HTTP_WEBHOOK_ID: headers['webhook-id'],
            HTTP_WEBHOOK_TIMESTAMP: headers['webhook-timestamp'],
            HTTP_WEBHOOK_SIGNATURE: headers['webhook-signature'],
            WEBHOOK_SECRET: secret,
          }
          const { code, said } = await run(program, args, env, body)
          return [what, code === 0, said]
        }),
      )
      assert.deepEqual(
        judged,
        cases.map(({ what, good }) => [what, good, '']),
      )
    })
  }
})
