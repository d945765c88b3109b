/** The two documents, made from the schemas that validate, and the page that shows them. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { openApi } from '#kernel/http/openapi.ts'
import { basePaths } from '#kernel/modules/load.ts'
import { startTest } from './harness.ts'

const world = await startTest()
const { modules } = world.services
const documents = [
  ['workspace', '/api/tenant/v1'],
  ['platform', '/api/central/v1'],
] as const

/** The validator that the reference page brings along. */
const fromScalar = createRequire(import.meta.resolve('@scalar/fastify-api-reference'))
const { validate } = await import(pathToFileURL(fromScalar.resolve('@scalar/openapi-parser')).href)

const everything = (node: any, visit: (node: any) => void) => {
  if (!node || typeof node !== 'object') return
  visit(node)
  for (const inner of Object.values(node)) everything(inner, visit)
}

for (const [surface, base] of documents)
  describe(`the OpenAPI document of the ${surface} API`, async () => {
    const reply = await world.root.get(`${base}/openapi.json`)
    const document: any = reply.body
    const operations = Object.entries<any>(document.paths ?? {}).flatMap(([path, item]) =>
      Object.entries<any>(item).map(([method, operation]) => ({
        path,
        method,
        operation,
        at: `${method.toUpperCase()} ${path}`,
      })),
    )

    it('is served to anybody, as the command line prints it', async () => {
      assert.equal(reply.status, 200)
      assert.match(String(reply.headers['content-type']), /^application\/json/)
      assert.deepEqual(document, JSON.parse(JSON.stringify(await openApi(modules, surface, 'http://atrium.test'))))
    })

    it('is valid OpenAPI 3.1', async () => {
      assert.equal(document.openapi, '3.1.0')
      const { valid, errors } = await validate(document)
      assert.ok(valid, JSON.stringify(errors?.slice(0, 3)))
      const broken = await validate({ ...document, info: {} })
      assert.equal(broken.valid, false, 'the validator tells')
    })

    it('has every route of every module, and no other', async () => {
      const routes = (await modules.routes()).filter(({ path }) => path.startsWith(`${basePaths[surface]}/`))
      const wanted = routes.map(({ route, path }) => `${route.method} ${path.slice(base.length).replace(/:(\w+)/g, '{$1}')}`)
      assert.deepEqual(operations.map(({ at }) => at).sort(), wanted.sort())
      assert.equal(new Set(wanted).size, wanted.length, 'none twice')
      assert.equal(document.servers[0].url, `http://atrium.test${base}`)
    })

    it('says of each operation who may, what goes in and what comes out', async () => {
      const ids = operations.map(({ operation }) => operation.operationId)
      assert.equal(new Set(ids).size, ids.length)
      for (const { path, operation, at } of operations) {
        assert.match(operation.description, /^(Needs no session\.|Needs: \S+)/, at)
        assert.equal(operation.security.length === 0, operation.description === 'Needs no session.', at)
        const inPath = (operation.parameters ?? []).filter((one: any) => one.in === 'path')
        assert.deepEqual(inPath.map((one: any) => `{${one.name}}`).sort(), (path.match(/\{\w+\}/g) ?? []).sort(), at)
        assert.ok(
          inPath.every((one: any) => one.required),
          at,
        )
        const success = operation.responses['200'] ?? operation.responses['201']
        const [[type, { schema }]] = Object.entries<any>(success.content) as [[string, any]]
        if (type === 'application/json') assert.deepEqual(schema.required, ['status', 'message', 'data', 'meta'], at)
        assert.ok(operation.responses['4XX'].content['application/json'], at)
      }
    })

    it('refers to nothing that is missing, and gives no schema up', () => {
      everything(document, (node) => {
        if (typeof node.$ref !== 'string') return
        const target = node.$ref
          .slice(2)
          .split('/')
          .reduce((at: any, key: string) => at?.[key], document)
        assert.ok(node.$ref.startsWith('#/') && target, node.$ref)
      })
      assert.ok(Object.keys(document.components.schemas).length > 3)
    })

    it('gives nothing secret away', () => {
      const { config } = world.services
      for (const secret of [config.APP_KEY.toString('base64'), config.DATABASE_URL!, config.DATA_DIR, 'correct horse'])
        assert.ok(!reply.raw.includes(secret), secret)
      const answered: any[] = []
      for (const { operation } of operations)
        everything(operation.responses, (node) => answered.push(...Object.keys(node.properties ?? {})))
      everything(document.components.schemas, (node) => answered.push(...Object.keys(node.properties ?? {})))
      for (const name of ['password_hash', 'secret_hash', 'search_text', 'revision', 'key_hash'])
        assert.ok(!answered.includes(name), name)
    })
  })

describe('the OpenAPI documents', () => {
  const operation = async (base: string, path: string, method: string) =>
    ((await world.root.get(`${base}/openapi.json`)).body as any).paths[path][method]

  it('tell how a list is asked', async () => {
    const { parameters } = await operation('/api/tenant/v1', '/vendors', 'get')
    const names = parameters.filter((one: any) => one.in === 'query').map((one: any) => one.name)
    assert.deepEqual(names.sort(), ['direction', 'is_active', 'page', 'per_page', 'search', 'sort', 'trashed'])
    assert.ok(parameters.every((one: any) => !one.required))
    const sort = parameters.find((one: any) => one.name === 'sort')
    const shown = ['id', 'name', 'email', 'phone', 'website', 'address', 'tax_id', 'notes', 'is_active', 'deleted_at']
    assert.deepEqual(sort.schema.enum, ['created_at', 'updated_at', ...shown])
  })

  it('tell ids from texts, and where files are taken', async () => {
    const type = async (path: string, method: string) =>
      (await operation('/api/central/v1', path, method)).parameters[0].schema.type
    assert.equal(await type('/tenants/{id}', 'get'), 'integer')
    assert.equal(await type('/email-logs/{uuid}', 'get'), 'string')
    const create = await operation('/api/central/v1', '/tenants', 'post')
    assert.deepEqual(Object.keys(create.requestBody.content), ['application/json', 'multipart/form-data'])
    assert.deepEqual(Object.keys(create.responses), ['201', '4XX'])
    const { requestBody } = await operation('/api/tenant/v1', '/vendors', 'post')
    assert.deepEqual(Object.keys(requestBody.content), ['application/json'])
    assert.deepEqual(requestBody.content['application/json'].schema.required, ['name'])
  })

  it('are browsed at /docs', async () => {
    const page = await world.root.get('/docs')
    const followed =
      page.status >= 300 && page.status < 400
        ? await world.root.get(new URL(String(page.headers.location), 'http://atrium.test/docs').pathname)
        : page
    assert.equal(followed.status, 200)
    assert.match(String(followed.headers['content-type']), /^text\/html/)
    for (const [, base] of documents) assert.ok(followed.raw.includes(`${base}/openapi.json`), base)
    const home = await world.root.get('/')
    assert.deepEqual([home.status, home.headers.location], [302, '/docs'])
  })
})
