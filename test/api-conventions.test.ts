/** docs/api-conventions.md: its examples are sent as they stand, and its keywords are those of the documents. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from './harness.ts'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/api-conventions.md'), 'utf8')
const world = await startTest()

/** What stands in the example must stand in the reply; `…` stands for any text, and objects may hold more. */
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
      for (const [name, value] of Object.entries(expected.headers)) assert.equal(reply.headers[name.toLowerCase()], value, name)
      holds(reply.json(), expected.body)
    })
  }

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
