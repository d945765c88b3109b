/**
 * Tests docs/api-conventions.md: its examples are sent and its programs run verbatim, and its keywords match the API documents.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { freePort } from './free-port.ts'
import { PASSWORD, startTest, type Workspace } from './harness.ts'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/api-conventions.md'), 'utf8')
const port = await freePort()
const BASE = `http://127.0.0.1:${port}`
const world = await startTest({ machineClock: true, env: { BASE_URL: BASE } }) // curl signs with the real time

/** Asserts that the reply contains the example; `…` matches any text, and objects may have further properties. */
function holds(reply: any, example: any, at = 'the reply') {
  if (example === '…') return assert.equal(typeof reply, 'string', at)
  if (Array.isArray(example)) assert.equal(reply?.length, example.length, at)
  else if (example === null || typeof example !== 'object') return assert.deepEqual(reply, example, at)
  for (const [key, value] of Object.entries(example)) holds(reply?.[key], value, `${at}.${key}`)
}

const split = (text: string) => {
  const [head = '', body] = text.trim().split(/\n\n/)
  const [first = '', ...lines] = head.split('\n')
  const headers = Object.fromEntries(
    lines.map((line) =>
      line
        .split(/: (.*)/)
        .slice(0, 2)
        .map((one) => one.trim()),
    ),
  )
  return { first, headers: headers as Record<string, string>, body: body && JSON.parse(body) }
}

describe('the conventions', () => {
  let firm: Workspace
  before(async () => {
    await world.app.listen({ port, host: '127.0.0.1' })
    firm = await world.workspace()
  })

  const examples = [...page.matchAll(/```http\n(.*?)```/gs)].map(([, text]) => text!.split(/\n(?=HTTP\/1\.1 )/))
  assert.ok(examples.length > 10)
  for (const [asked = '', answered = ''] of examples) {
    const { first, headers, body } = split(asked)
    const expected = split(answered)
    it(`${first} is ${expected.first}`, async () => {
      const [method, url] = first.split(' ') as ['GET', string]
      const reply = await world.app.inject({
        method,
        url,
        headers: { ...headers, authorization: `Bearer ${firm.owner.token}` },
        ...(body ? { payload: body } : {}),
      })
      assert.equal(reply.statusCode, Number(expected.first.split(' ')[1]), reply.payload)
      for (const [name, value] of Object.entries(expected.headers))
        assert.equal(undigested(String(reply.headers[name.toLowerCase()])), undigested(value), name)
      holds(reply.json(), expected.body)
    })
  }

  /** Returns an ETag without its content hash, which changes when fields are added. */
  const undigested = (text: string) => text.replace(/^("\d+-\d+)-[\w-]{16}"$/, '$1"')

  const blocks = (language: string) =>
    [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text]) => text!)
  const run = (program: string, args: string[], env: Record<string, string>) => {
    const child = spawn(program, args, { cwd: root, env: { PATH: process.env.PATH!, BASE, ...env } })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void (said += chunk))
    const ended = once(child, 'close').then(([code]) => ({ code, said }))
    return { ended, said: () => said }
  }

  const missing = ['curl', 'openssl'].find((program) => spawnSync(program, ['version']).error)
  it('sign in and deliver a lead with curl', { skip: missing && `there is no ${missing}` }, async () => {
    const shop = await world.workspace({ modules: ['vendors', 'leads'] })
    const endpoint = (await shop.owner.post('/leads/integrations/webhooks', { name: 'Website' })).body.data
    const env = { EMAIL: shop.owner.email, PASSWORD, URL: endpoint.url, SECRET: endpoint.signing_secret }
    const scripts = blocks('sh')
    const [begin = '', deliver = ''] = scripts
    assert.equal(scripts.length, 2)
    // Sends exactly the same call twice: the second is recognised by its signature.
    const { code, said } = await run(
      'bash',
      ['-euo', 'pipefail', '-c', [begin, deliver, deliver.split('\n').slice(3).join('\n')].join('\n')],
      env,
    ).ended
    assert.equal(code, 0, said)
    assert.match(said, /"data":\[\],"meta".*"lead_id":\d+.*201\n.*"CONFLICT".*409\n$/s)
    assert.equal((await shop.owner.get('/leads')).body.meta.total, 1)
  })

  it('hold in a client that lists, stumbles and watches', async () => {
    const shop = await world.workspace({ modules: ['vendors', 'tasks'] })
    for (const name of ['Ash', 'Birch']) await shop.owner.post('/vendors', { name })
    const [client = '', ...more] = blocks('js')
    assert.equal(more.length, 0)
    const env = { EMAIL: shop.owner.email, PASSWORD }
    const { ended, said } = run(process.execPath, ['--input-type=module', '-e', client], env)
    while (!said().includes('VALIDATION_FAILED'))
      await Promise.race([ended.then(() => assert.fail(said())), new Promise(setImmediate)])
    const boss = await shop.user(['tasks.view', 'tasks.create', 'tasks.assign'])
    assert.equal((await boss.post('/tasks', { title: 'Call', assigned_to: shop.owner.id })).status, 201)
    await world.drain()
    const { code } = await ended
    assert.equal(code, 0, said())
    assert.match(
      said(),
      /^Ash\nBirch\nSerra & Co\nVALIDATION_FAILED \{.*name.*\}\nnotification [\w-]+: task\.assigned, 1 unread\n$/s,
    )
  })

  it('name each error code', () => {
    const source = globSync('src/**/*.ts', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'))
    const codes = source.flatMap((text) =>
      [...text.matchAll(/new HttpError\(\s*\d+,\s*'([A-Z_]+)'|forbidden\([^;]*?, '([A-Z_]+)'\)|\bcode: '([A-Z]+_[A-Z_]+)'/g)].map(
        (found) => found.slice(1).find(Boolean)!,
      ),
    )
    assert.ok(codes.includes('MODULE_NOT_INSTALLED') && codes.includes('INTERNAL_ERROR') && codes.includes('TOO_MANY_REQUESTS'))
    for (const code of new Set(codes)) assert.ok(page.includes(`\`${code}\``), code)
  })

  it('explain every keyword and format of the documents, and no other', async () => {
    const used = new Set<string>()
    const formats = new Set<string>()
    const look = (node: any) => {
      if (!node || typeof node !== 'object') return
      for (const [key, value] of Object.entries(node)) {
        if (/^x-/.test(key)) used.add(key)
        if (key === 'format' && typeof value === 'string') formats.add(value)
        look(value)
      }
    }
    for (const base of ['/api/tenant/v1', '/api/central/v1']) {
      const { paths, components } = (await world.root.get(`${base}/openapi.json`)).body as any
      look({ paths, schemas: components.schemas })
    }
    const told = [...page.matchAll(/^\| `(x-[a-z-]+)`/gm)].map(([, name]) => name!)
    assert.deepEqual(told.sort(), [...used].sort())
    const [row = ''] = /^\| `format`.*$/m.exec(page)!
    for (const format of formats) if (format !== 'binary') assert.ok(row.includes(`\`${format}\``), format)
  })
})
