/** The two OpenAPI documents, generated from the validating schemas, and the reference page. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { externalAuth } from '#kernel/http/auth-strategies.ts'
import { withExamplesAsOf } from '#kernel/http/example-dates.ts'
import { openApi } from '#kernel/http/openapi.ts'
import { open, routesFor, workspace } from '#kernel/http/route.ts'
import { basePaths } from '#kernel/modules/module.ts'
import { START } from './days.ts'
import { startTest } from './harness.ts'

const world = await startTest()
const { modules } = world.services
const root = join(import.meta.dirname, '..')
const refsOf = ({ parameters = [] }: any): string[] => parameters.map(({ $ref }: any) => $ref)
const documents = [
  { surface: 'workspace', base: '/api/tenant/v1' },
  { surface: 'platform', base: '/api/central/v1' },
] as const

/** Validator bundled with the reference page. */
const fromScalar = createRequire(import.meta.resolve('@scalar/fastify-api-reference'))
const { validate } = await import(pathToFileURL(fromScalar.resolve('@scalar/openapi-parser')).href)

/** Redocly's recommended rules (redocly.yaml). */
function lint(document: object) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-openapi-'))
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  const { status, stdout, stderr } = spawnSync('redocly', ['lint', file, '--config', 'redocly.yaml'], {
    cwd: root,
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    },
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  return { status, told: stdout + stderr }
}

/** Ambiguous paths, each with the reason why no address matches both. */
const EXCUSED = new Map<string, string>([
  ['/short-links/export /short-links/{key}', 'the key is an id or a uuid'],
  ['/short-links/bulk /short-links/{key}', 'the key is an id or a uuid'],
  ...['restore', 'force', 'actions', 'stats', 'clicks', 'qr', 'timeline'].map(
    (step) => [`/short-links/external/{external_id} /short-links/{key}/${step}`, 'the key is an id or a uuid'] as const,
  ),
  ['/short-links/stats /short-links/{key}', 'the key is an id or a uuid'],
  ['/public/beta-invites/resend /public/beta-invites/{token}', 'tokens are longer, and the one is a POST, the other a GET'],
])

const everything = (node: any, visit: (node: any) => void) => {
  if (!node || typeof node !== 'object') return
  visit(node)
  for (const inner of Object.values(node)) everything(inner, visit)
}

for (const { surface, base } of documents)
  describe(`the OpenAPI document of the ${surface} API`, async () => {
    const reply = await world.root.get(`${base}/openapi.json`)
    const document: any = reply.body
    const operations = Object.entries<any>(document.paths ?? {}).flatMap(([path, item]) =>
      Object.entries<any>(item)
        .filter(([method]) => method !== 'servers')
        .map(([method, operation]) => ({
          path,
          method,
          operation,
          at: `${method.toUpperCase()} ${path}`,
          urls: (item.servers ?? document.servers).map(({ url }: any) => `${method.toUpperCase()} ${url}${path}`),
        })),
    )

    it('is served to anybody, as the command line prints it', async () => {
      assert.equal(reply.status, 200)
      assert.match(String(reply.headers['content-type']), /^application\/json/)
      const printed = withExamplesAsOf(await openApi(modules, surface, 'http://atrium.test'), START.slice(0, 10))
      assert.deepEqual(document, JSON.parse(JSON.stringify(printed)))
    })

    it('says the same of a module alone, but for words that it has from others', async () => {
      /** Descriptions of a field may come from a module that describes one with the same name. */
      const said = (node: unknown) =>
        JSON.parse(JSON.stringify(node, (key, value) => (['description', 'examples'].includes(key) ? undefined : value)))
      const some = modules.all.filter((module) => module.surface === surface).filter((_, n) => n % 9 === 0)
      for (const module of some) {
        const { paths, components }: any = await openApi(modules, surface, 'http://atrium.test', module)
        for (const [path, item] of Object.entries(paths)) assert.deepEqual(said(item), said(document.paths[path]), path)
        for (const [name, schema] of Object.entries(components.schemas ?? {}))
          assert.deepEqual(said(schema), said(document.components.schemas[name]), `${module.key}: ${name}`)
      }
    })

    it('is valid OpenAPI 3.1', async () => {
      assert.equal(document.openapi, '3.1.0')
      const { valid, errors } = await validate(document)
      assert.ok(valid, JSON.stringify(errors?.slice(0, 3)))
      const broken = await validate({ ...document, info: {} })
      assert.equal(broken.valid, false, 'the validator tells')
    })

    it('passes the linter', () => {
      const { status, told } = lint(document)
      assert.equal(status, 0, told)
      assert.equal(lint({ ...document, info: { title: 'Nameless' } }).status, 1, 'it tells')
    })

    it('has every route below its base path, and those at the root on one of the two sides', async () => {
      const below = (path: string) => Object.values(basePaths).find((one) => one && path.startsWith(`${one}/`)) ?? ''
      const sideOf = ({ module, path }: Awaited<ReturnType<typeof modules.routes>>[number]) =>
        below(path) || (module.uses ? basePaths.workspace : basePaths.platform)
      const routes = (await modules.routes()).filter((one) => sideOf(one) === base)
      const wanted = routes.map(({ route, path }) => `${route.method} http://atrium.test${path.replace(/:(\w+)/g, '{$1}')}`)
      assert.deepEqual(operations.flatMap(({ urls }) => urls).sort(), wanted.sort())
      assert.equal(new Set(wanted).size, wanted.length, 'none twice')
      assert.equal(document.servers[0].url, `http://atrium.test${base}`)
    })

    it('has no two paths that one address may mean, but those excused', () => {
      const paths = Object.entries<any>(document.paths)
      /** Returns whether a literal could be the value of a parameter. */
      const may = (item: any, parameter: string, literal: string) => {
        const all = Object.values<any>(item).flatMap(({ parameters = [] }) => parameters)
        const { type, format } = all.find(({ name }: any) => `{${name}}` === parameter).schema
        return type === 'string' && format !== 'uuid' && !literal.startsWith('{')
      }
      const meet = ([one, item]: [string, any], [other, beside]: [string, any]) => {
        const [mine, theirs] = [one.split('/'), other.split('/')]
        if (one === other || mine.length !== theirs.length) return false
        return mine.every((step, n) => {
          const literal = theirs[n]!
          return (
            step === literal ||
            (step.startsWith('{') && may(item, step, literal)) ||
            (literal.startsWith('{') && may(beside, literal, step))
          )
        })
      }
      const found = paths.flatMap((one) =>
        paths.filter((other) => one[0] < other[0] && meet(one, other)).map((other) => `${one[0]} ${other[0]}`),
      )
      assert.deepEqual(
        found.filter((pair) => !EXCUSED.has(pair)),
        [],
      )
    })

    it('says of each operation who may, what goes in and what comes out', async () => {
      const ids = operations.map(({ operation }) => operation.operationId)
      assert.deepEqual(
        ids.filter((id, n) => !/^[a-z][A-Za-z0-9]+$/.test(id) || ids.indexOf(id) !== n),
        [],
      )
      const errors = document.components.responses
      // Routes with a record check If-Match even if they return no ETag.
      const judging = new Set(
        (await modules.routes())
          .filter(({ route, path }) => route.spec.record && (path.startsWith(`${base}/`) || !path.startsWith('/api/')))
          .map(({ route, path }) => `${route.method} ${path.replace(base, '').replace(/:(\w+)/g, '{$1}')}`),
      )
      for (const { path, operation, at } of operations) {
        assert.match(operation.description, /(^|\n\n)(Needs no session\.|Needs: \S.+\.)$/, at)
        assert.equal(operation.security.length === 0, operation.description.endsWith('Needs no session.'), at)
        const inPath = (operation.parameters ?? []).filter((one: any) => one.in === 'path')
        assert.deepEqual(inPath.map((one: any) => `{${one.name}}`).sort(), (path.match(/\{\w+\}/g) ?? []).sort(), at)
        assert.ok(
          inPath.every((one: any) => one.required),
          at,
        )
        const success = operation.responses['200'] ?? operation.responses['201'] ?? { content: { 'text/html': {} } }
        const [[type, { schema }]] = Object.entries<any>(success.content) as [[string, any]]
        // A page reports errors as a page, unless it is a file.
        const errorType = type === 'text/html' && !('206' in operation.responses) ? type : 'application/json'
        // JSON of another protocol has no envelope.
        if (type === 'application/json' && schema.type === 'object')
          assert.deepEqual(schema.required, ['status', 'message', 'data', 'meta'], at)
        for (const [status, { $ref, content }] of Object.entries<any>(operation.responses)) {
          const told = content ?? errors[$ref?.split('/').at(-1)]?.content
          if (!/^[23]/.test(status)) assert.ok(told[errorType], `${at} ${status}`)
        }
        if (operation.security.length) assert.ok('401' in operation.responses && '403' in operation.responses, at)
        if (path.includes('{')) assert.ok('404' in operation.responses, at)
        const [told, judged] = [refsOf(operation).includes('#/components/parameters/If-Match'), judging.has(at)]
        assert.equal('412' in operation.responses, told || judged, at)
      }
    })

    it('says that a parameter keeps some of the rows only where there are rows', () => {
      const said = operations.flatMap(({ path, at, operation: { parameters = [] } }) => {
        const all = parameters.map(({ $ref, ...own }: any) =>
          $ref ? document.components.parameters[$ref.split('/').at(-1)] : own,
        )
        if (all.some(({ name }: any) => name === 'page') || /\/(stats|export|series|board)$/.test(path)) return []
        return all.flatMap(({ name, description = '' }: any) => (/^Keeps those/.test(description) ? `${at}: ${name}` : []))
      })
      assert.deepEqual(said, [])
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
    const typeOf = (name: string) => parameters.find((one: any) => one.name === name).schema.type
    assert.deepEqual(['page', 'is_active', 'search'].map(typeOf), ['integer', 'boolean', 'string'])
    const names = parameters.filter((one: any) => one.in === 'query').map((one: any) => one.name)
    const ofAll = ['direction', 'external_id', 'ids', 'page', 'per_page', 'search', 'sort', 'trashed', 'updated_since']
    assert.deepEqual(
      [...ofAll, 'is_active'].filter((name) => !names.includes(name)),
      [],
    )
    assert.ok(parameters.every((one: any) => !one.required))
    const sort = parameters.find((one: any) => one.name === 'sort')
    const shown = ['id', 'name', 'email', 'phone', 'website', 'address', 'tax_id', 'notes', 'is_active', 'deleted_at']
    assert.deepEqual(sort.schema.enum.slice(0, 2), ['created_at', 'updated_at'])
    assert.deepEqual(
      shown.filter((name) => !sort.schema.enum.includes(name)),
      [],
    )
  })

  it('say of words that are looked for how they are found', async () => {
    const { parameters } = await operation('/api/tenant/v1', '/email/accounts/{uuid}/messages/search', 'get')
    assert.match(parameters.find(({ name }: any) => name === 'q').description, /beginning/)
  })

  it('tell ids from texts, and where files are taken', async () => {
    const type = async (path: string, method: string) =>
      (await operation('/api/central/v1', path, method)).parameters.find((one: any) => one.in === 'path').schema.type
    assert.equal(await type('/tenants/{id}', 'get'), 'integer')
    assert.equal(await type('/email-logs/{uuid}', 'get'), 'string')
    const create = await operation('/api/central/v1', '/tenants', 'post')
    assert.deepEqual(Object.keys(create.requestBody.content), ['application/json', 'multipart/form-data'])
    assert.deepEqual(Object.keys(create.responses), '201 400 401 403 409 413 415 422 503 default'.split(' '))
    const { requestBody } = await operation('/api/tenant/v1', '/vendors', 'post')
    assert.deepEqual(Object.keys(requestBody.content), ['application/json'])
    assert.deepEqual(requestBody.content['application/json'].schema.required, ['name'])
  })

  it('name operations as a generated client would', async () => {
    const { paths } = (await world.root.get('/api/tenant/v1/openapi.json')).body as any
    for (const { method, path, id, summary } of [
      { method: 'get', path: '/vendors', id: 'listVendors', summary: 'List vendors' },
      { method: 'post', path: '/vendors', id: 'createVendor', summary: 'Create a vendor' },
      { method: 'get', path: '/vendors/{id}', id: 'showVendor', summary: 'Show a vendor' },
      { method: 'put', path: '/vendors/{id}', id: 'updateVendor', summary: 'Change a vendor' },
      { method: 'delete', path: '/vendors/{id}', id: 'deleteVendor', summary: 'Delete a vendor' },
      { method: 'post', path: '/vendors/{id}/restore', id: 'restoreVendor', summary: 'Restore a vendor' },
      { method: 'delete', path: '/vendors/{id}/force', id: 'forceDeleteVendor', summary: 'Delete a vendor for good' },
      { method: 'post', path: '/purchase-orders/{id}/send', id: 'sendPurchaseOrder', summary: 'Send a purchase order' },
      {
        method: 'get',
        path: '/purchase-orders/{id}/pdf',
        id: 'downloadPurchaseOrderPdf',
        summary: 'Download the PDF of a purchase order',
      },
      {
        method: 'get',
        path: '/purchase-orders/{id}/notes',
        id: 'listPurchaseOrderNotes',
        summary: 'List the notes of a purchase order',
      },
      {
        method: 'post',
        path: '/purchase-orders/{id}/notes',
        id: 'createPurchaseOrderNote',
        summary: 'Add a note to a purchase order',
      },
      { method: 'post', path: '/expenses/{id}/status', id: 'changeExpenseStatus', summary: 'Change the status of an expense' },
      { method: 'get', path: '/expenses/categories', id: 'listExpenseCategories', summary: 'List the categories of expenses' },
      { method: 'post', path: '/users/{id}/verify-email', id: 'verifyUserEmail', summary: 'Verify a user email' },
      { method: 'post', path: '/me/change-password', id: 'changeMyPassword', summary: 'Change my password' },
      { method: 'put', path: '/settings', id: 'updateSettings', summary: 'Change settings' },
    ] as const)
      assert.deepEqual([paths[path][method].operationId, paths[path][method].summary], [id, summary])
  })

  it('say which headers come in and go out', async () => {
    const headers = ({ responses }: any, status: string) => Object.keys(responses[status].headers)
    const create = await operation('/api/tenant/v1', '/vendors', 'post')
    assert.deepEqual(refsOf(create), ['#/components/parameters/Idempotency-Key', '#/components/parameters/Dry-Run'])
    const message = await operation('/api/tenant/v1', '/mcp', 'post')
    assert.deepEqual(refsOf(message), [], 'can’t be tried')
    assert.deepEqual(headers(create, '201'), ['X-Request-Id', 'ETag', 'Idempotency-Replayed'])
    const update = await operation('/api/tenant/v1', '/vendors/{id}', 'put')
    assert.ok(refsOf(update).includes('#/components/parameters/If-Match'))
    for (const [base, path, method] of [
      ['/api/tenant/v1', '/api-keys/{id}', 'put'],
      ['/api/tenant/v1', '/bank-transactions/{id}/match', 'post'],
      ['/api/tenant/v1', '/imports/{uuid}', 'put'],
      ['/api/central/v1', '/module-subscriptions/{id}/cancel', 'post'],
    ] as const)
      assert.ok(
        !refsOf(await operation(base, path, method)).includes('#/components/parameters/If-Match'),
        `${path} is told without an ETag`,
      )
    const keys = await operation('/api/tenant/v1', '/service-accounts/{id}/keys', 'post')
    assert.ok(refsOf(keys).includes('#/components/parameters/If-Match'), 'of the account that gets the key')
    const mail = await operation('/api/tenant/v1', '/purchase-orders/{id}/email', 'post')
    const limits = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
    assert.deepEqual(headers(mail, '200'), ['X-Request-Id', 'Idempotency-Replayed', ...limits])
    assert.equal(mail.responses['429'].$ref, '#/components/responses/TooManyRequests')
  })

  it('say of links to accept by what becomes of earlier ones', async () => {
    for (const path of ['/quotations/{id}/acceptance-link', '/contracts/{id}/acceptance-link'])
      assert.match((await operation('/api/tenant/v1', path, 'post')).description, /Earlier links stay good: twenty at most/)
  })

  it('keep what a description has in braces, where that is to be written so', async () => {
    const { components, paths } = (await world.root.get('/api/tenant/v1/openapi.json')).body as any
    const reminding = paths['/invoices/{id}/remind'].post.requestBody.content['application/json'].schema
    for (const { properties } of [components.schemas.ReminderStep, reminding])
      for (const name of ['subject', 'message'])
        assert.match(properties[name].description, /may say \{number\}, \{title\}, \{amount\} and \{due\}/)
  })

  it('tell one kind of token from another', async () => {
    for (const base of ['/api/tenant/v1', '/api/central/v1']) {
      const replied = (await operation(base, '/auth/login', 'post')).responses['200'].content['application/json'].schema
      const signedIn: any[] = []
      everything(replied, ({ properties }) => properties?.token_type && signedIn.push(properties.token))
      assert.match(signedIn[0].description, /^A bearer token/, base)
    }
    const { components } = (await world.root.get('/api/tenant/v1/openapi.json')).body as any
    const { token } = components.schemas.FcmDeviceToken.properties
    assert.deepEqual(token.description, 'What Firebase calls the device.')
    for (const method of ['post', 'delete']) {
      const { schema } = (await operation('/api/tenant/v1', '/fcm-device-tokens', method)).requestBody.content['application/json']
      assert.deepEqual(schema.properties.token.description, token.description, method)
    }
  })

  it('say what a field is', async () => {
    const { components, paths } = (await world.root.get('/api/tenant/v1/openapi.json')).body as any
    const { Expense, PurchaseOrderLine, Product, Vendor, Widget } = components.schemas
    assert.partialDeepStrictEqual(Expense, { 'x-resource': 'expense', 'x-title-field': 'title' })
    const { vendor_id, category_id, assigned_to, purchase_order_id, amount, is_active } = Expense.properties
    assert.partialDeepStrictEqual(vendor_id, { 'x-refers-to': 'vendor', title: 'Vendor' })
    assert.deepEqual([category_id['x-refers-to'], assigned_to['x-refers-to']], ['expense_category', 'user'])
    assert.equal(purchase_order_id.anyOf[0]['x-refers-to'], 'purchase_order')
    assert.deepEqual([amount.format, amount['x-currency-field'], is_active], ['money', 'currency', undefined])
    assert.equal(PurchaseOrderLine.properties.product_id.anyOf[0]['x-refers-to'], 'product')
    assert.deepEqual([Product.properties.reorder_level.format, Product.properties.sku.title], ['quantity', 'SKU'])
    assert.equal(Vendor.properties.phone.anyOf[0].format, 'phone')
    // Stored as users write it: `https://bücher.example/two words` is no URI.
    assert.equal(components.schemas.ShortLink.properties.destination_url.format, 'website')
    const { unit_price } = paths['/products'].post.requestBody.content['application/json'].schema.properties
    assert.partialDeepStrictEqual(unit_price, { minimum: 0, maximum: 999_999_999, multipleOf: 0.000001 })

    assert.equal(Widget.discriminator.propertyName, 'key')
    const widget = components.schemas[Widget.discriminator.mapping.sent_purchase_orders.split('/').at(-1)]
    assert.equal(widget['x-widget-shape'], 'list')
    assert.ok(widget.properties.data.properties.rows.items.properties.number)

    const everywhere: any[] = []
    everything({ components, paths }, (node) => everywhere.push(node))
    const records = new Set(everywhere.map((node) => node['x-resource']))
    for (const node of everywhere) {
      if (node['x-refers-to']) assert.ok(records.has(node['x-refers-to']), node['x-refers-to'])
      if (node['x-title-field']) assert.ok(node.properties[node['x-title-field']], node['x-resource'])
    }
  })

  it('tell of replies and bodies of every kind', async () => {
    const bytes = { type: 'string', format: 'binary' }
    const key = { header: 'X-Service-Key', description: 'The key of the endpoint.' }
    const service = routesFor(externalAuth({ scheme: key, admit: async () => Promise.reject(new Error('not asked')) }))
    const none = () => undefined as never
    const routes = [
      open.get('/page', { allow: 'anybody', answer: 'text/html' }, none),
      open.get('/elsewhere', { allow: 'anybody', answer: 'redirect' }, none),
      open.get('/bare', { allow: 'anybody', answer: 'application/json' }, none),
      service.post('/events', { allow: 'anybody', raw: true, notIdempotent: true }, none),
      open.post('/token', { allow: 'anybody', form: true, body: z.object({ code: z.string() }), operation: 'exchange' }, none),
      workspace.get('/sheet', { allow: 'signed-in', file: 'text/csv', description: 'In UTF-8.' }, none),
      workspace.get('/sum', { allow: 'signed-in', reply: z.array(z.string()), meta: z.object({ sum: z.number() }) }, none),
    ]
    const module = { ...modules.all[0]!, title: 'Odd', description: 'One of each.', surface: 'workspace' as const }
    const odd = {
      ...modules,
      routes: async () => routes.map((route) => ({ module, route, path: `/api/tenant/v1/odd${route.path}` })),
      widgets: async () => [],
    }
    const document: any = await openApi(odd, 'workspace', 'http://atrium.test')
    const { status, told } = lint(document)
    assert.equal(status, 0, told)
    const at = (path: string, method = 'get') => document.paths[`/odd${path}`][method]
    const content = (path: string) => at(path).responses['200'].content
    assert.deepEqual(content('/page'), { 'text/html': { schema: { type: 'string' } } })
    const error = at('/page').responses['503'].$ref.split('/').at(-1)
    assert.deepEqual(Object.keys(document.components.responses[error].content), ['text/html'])
    assert.deepEqual(Object.keys(at('/elsewhere').responses['302'].headers), ['X-Request-Id', 'Location'])
    assert.deepEqual(content('/bare'), { 'application/json': { schema: {} } })
    assert.deepEqual(content('/sheet'), { 'text/csv': { schema: bytes } })
    assert.match(at('/sheet').description, /^In UTF-8\.\n\nNeeds: signed-in\.$/)
    assert.deepEqual(content('/sum')['application/json'].schema.properties.meta.properties.sum.type, 'number')
    const event = at('/events', 'post')
    assert.deepEqual(event.requestBody.content, { '*/*': { schema: bytes } })
    assert.deepEqual([event.security, refsOf(event)], [[{ 'X-Service-Key': [] }], ['#/components/parameters/Dry-Run']])
    assert.equal(document.components.securitySchemes['X-Service-Key'].type, 'apiKey')
    const token = at('/token', 'post')
    assert.deepEqual(Object.keys(token.requestBody.content), ['application/json', 'application/x-www-form-urlencoded'])
    assert.equal(token.operationId, 'exchange')
  })

  it('are browsed at /docs', async () => {
    const page = await world.root.get('/docs')
    const followed =
      page.status >= 300 && page.status < 400
        ? await world.root.get(new URL(String(page.headers.location), 'http://atrium.test/docs').pathname)
        : page
    assert.equal(followed.status, 200)
    assert.match(String(followed.headers['content-type']), /^text\/html/)
    for (const { base } of documents) assert.ok(followed.raw.includes(`${base}/openapi.json`), base)
    const policy = String(followed.headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self' 'sha256-[\w+/]{43}='; /) // that it works: test/browser/reference.ci.test.ts
    const home = await world.root.get('/')
    assert.deepEqual([home.status, home.headers.location], [302, '/docs'])
  })
})
