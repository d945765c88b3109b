/**
 * OpenAPI 3.1 document of an API, generated from the schemas that validate and serialise. docs/api-conventions.md describes the
 * `x-` keywords.
 */
import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'
import { basePaths, type Module, type Modules } from '../modules/module.ts'
import type { UploadRule } from '../storage/uploads.ts'
import { capital, humanised } from '../values/words.ts'
import { describeFields } from './describing.ts'
import { errorCodesOf } from './error-codes.ts'
import { introduction } from './introduction.ts'
import type { UploadRules } from './multipart.ts'
import {
  errorsOf,
  headersOf,
  ifMatchRule,
  isMade,
  parametersOf,
  schemeOf,
  sharedComponents,
  showsRecord,
} from './openapi-parts.ts'
import { webhooksOf } from './openapi-webhooks.ts'
import { wordsOf } from './operation-descriptions.ts'
import { envelopeOf } from './reply.ts'
import { answersPages, type Route, textParams } from './route.ts'

const titles = { workspace: 'Atrium workspace API', platform: 'Atrium platform API' }

/** Returns the document of an API. With `only`, the part of one module, which takes a fraction of the time. */
export async function openApi(modules: Modules, surface: 'workspace' | 'platform', baseUrl: string, only?: Module) {
  const { paths, tags, securitySchemes, pages } = await partsOf(modules, surface, baseUrl, only)
  const codes = errorCodesOf(surface, modules.all)
  const shared = sharedComponents(
    pages,
    codes.map(([code]) => code),
  )
  const widgets = surface === 'workspace' && !only ? await widgetReplies(modules) : {}
  const told = only ? undefined : await webhooksOf(modules, surface)
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: titles[surface],
      version: '1',
      description: introduction(surface, codes),
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      contact: { name: 'Whoever runs this service', url: baseUrl },
    },
    servers: [{ url: `${baseUrl}${basePaths[surface]}` }],
    tags: tags.map(({ title, description }) => ({ name: title, description })),
    components: {
      ...shared,
      parameters: { ...shared.parameters, ...told?.components.parameters },
      responses: { ...shared.responses, ...widgets, ...told?.components.responses },
      securitySchemes,
    },
    paths,
    webhooks: told?.webhooks,
  })
  const components = document.components as Record<string, Record<string, any>>
  if (components.responses!.Widget) components.schemas!.Widget = components.responses!.Widget.content['application/json'].schema
  typeSettings(document, modules)
  simplify(document)
  giveTitles(document)
  describeFields(document)
  dropUnused(document)
  return document
}

/** Returns an API's operations with their modules and security schemes, and whether any of them answers pages. */
async function partsOf(modules: Modules, surface: 'workspace' | 'platform', baseUrl: string, only?: Module) {
  const paths: ZodOpenApiPathsObject = {}
  const bases = new Map<string, Set<string>>()
  const tags = new Map<string, Module>()
  const schemes = new Map<string, {}>()
  let pages = false
  const routes = await modules.routes()
  const heedsIfMatch = ifMatchRule(routes)
  const all = new Set(routes.map(({ route, path }) => `${route.method} ${path}`))
  for (const { module, route, path } of routes) {
    const base = baseIn(surface, module, path)
    if (base === undefined || (only && module !== only)) continue
    tags.set(module.title, module)
    const scheme = schemeOf(route)
    if (scheme) schemes.set(scheme[0], scheme[1])
    pages ||= answersPages(route)
    const name = path.slice(base.length).replace(/:(\w+)/g, '{$1}')
    const hasTrash = all.has(`POST ${path}/restore`)
    ;(paths[name] ??= {})[route.method.toLowerCase() as 'get'] = operation(module, route, name, {
      hasTrash,
      heedsIfMatch: heedsIfMatch(route, path),
    })
    bases.set(name, (bases.get(name) ?? new Set()).add(base))
  }
  for (const [name, some] of bases)
    if (some.has('')) paths[name]!.servers = [...some].map((base) => ({ url: `${baseUrl}${base}` }))
  return { paths, tags: [...tags.values()], securitySchemes: Object.fromEntries(schemes) as {}, pages }
}

/**
 * Returns the base of a route's path within a document: its API's base path, or '' for routes of public modules at the root.
 * Public routes are in the document of the API whose modules they use. Undefined if the route belongs to the other document.
 */
function baseIn(surface: 'workspace' | 'platform', module: Module, path: string) {
  const base = Object.values(basePaths).find((one) => one && path.startsWith(`${one}/`)) ?? ''
  const isWorkspaces = base ? base === basePaths.workspace : module.uses !== undefined
  return isWorkspaces === (surface === 'workspace') ? base : undefined
}

function operation(
  module: Module,
  route: Route,
  name: string,
  { hasTrash, heedsIfMatch }: { hasTrash: boolean; heedsIfMatch: boolean },
): ZodOpenApiOperationObject {
  const { spec, method } = route
  const params = [...name.matchAll(/\{(\w+)\}/g)].map(([, param]) => param!)
  const idempotent = method === 'POST' && !spec.notIdempotent
  const scheme = schemeOf(route)
  const needs = scheme ? `Needs: ${[spec.allow].flat().join(' or ')}.` : 'Needs no session.'
  const { description, ...named } = wordsOf(route, name, hasTrash)
  return {
    tags: [module.title],
    ...named,
    description: [description, needs].filter(Boolean).join('\n\n'),
    security: scheme ? [{ [scheme[0]]: [] }] : [],
    parameters: parametersOf(route, idempotent, heedsIfMatch),
    requestParams: {
      ...(params.length
        ? {
            path: z.object(
              Object.fromEntries(params.map((p) => [p, p === 'uuid' ? z.uuid() : isText(p) ? z.string() : z.int().min(1)])),
            ),
          }
        : {}),
      ...(spec.query ? { query: queryObject(spec.query) } : {}),
    },
    ...bodyOf(route),
    responses: { ...successOf(route, idempotent), ...errorsOf(route, heedsIfMatch) },
  }
}

function bodyOf({ spec }: Route): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const { body, upload, form, raw } = spec
  if (!body) return raw ? { requestBody: { content: { '*/*': { schema: BYTES } } } } : {}
  const isForm = Object.values(upload ?? {}).some(({ required }) => required)
  const content = {
    ...(isForm ? {} : { 'application/json': { schema: body } }),
    ...(upload ? { 'multipart/form-data': { schema: withFiles(body, upload) } } : {}),
    ...(form ? { 'application/x-www-form-urlencoded': { schema: body } } : {}),
  }
  return { requestBody: { required: true, content } }
}

function successOf(route: Route, idempotent: boolean): ZodOpenApiOperationObject['responses'] {
  const { spec } = route
  const isShown = showsRecord(route)
  const headers = headersOf(route, { showsRecord: isShown, idempotent })
  const description = spec.message ?? 'OK'
  const elsewhere = { description: 'Elsewhere', headers: { ...headers, Location: { $ref: '#/components/headers/Location' } } }
  if (spec.answer === 'redirect') return { 302: elsewhere }
  if (spec.answer && !spec.reply)
    return {
      200: { description, headers, content: { [spec.answer]: { schema: bareSchema(spec.answer) } } },
      ...(spec.mayRedirect ? { [spec.mayRedirect]: elsewhere } : {}),
      ...(spec.accepts ? { 202: { description: 'Taken; there is nothing to answer', headers } } : {}),
    }
  if (spec.file) {
    const content = binaryOf([spec.file].flat())
    return {
      200: { description: 'The file', headers, content },
      ...(isMade(spec)
        ? {}
        : { 206: { description: 'The part of it that Range asks for', headers, content }, 304: unchanged(headers) }),
    }
  }
  const done = { description, headers, content: { 'application/json': { schema: envelopeOf(spec) } } }
  return {
    [spec.status ?? 200]: done,
    ...(spec.mayCreate ? { 201: done } : {}),
    ...(isShown && route.method === 'GET' ? { 304: unchanged(headers) } : {}),
  }
}

const unchanged = (headers: ReturnType<typeof headersOf>) => ({
  description: 'The client has it already, as If-None-Match says',
  headers,
})

const BYTES = { type: 'string', format: 'binary' } as const
const bareSchema = (type: string) => (/json$/.test(type) ? {} : /^text\//.test(type) ? { type: 'string' as const } : BYTES)
const binaryOf = (types: string[]) => Object.fromEntries(types.map((type) => [type, { schema: BYTES }]))

/** Body as a form: its text fields and files. */
const withFiles = (body: any, rules: UploadRules) => body.extend(mapValues(rules, fileField))

function fileField({ kinds, expected = kinds && `one of ${kinds.join(', ')}`, maxBytes, required }: UploadRule) {
  const description = `The file: ${expected ? `${expected}, ` : ''}at most ${(maxBytes / 1024).toLocaleString('en')} KB. What it is, is judged by its content.`
  const field = z.any().meta({ description, override: BYTES })
  return required ? field : field.optional()
}

const mapValues = <V, W>(all: Record<string, V>, made: (value: V) => W) =>
  Object.fromEntries(Object.entries(all).map(([key, value]) => [key, made(value)]))

const isText = (param: string) => (textParams as readonly string[]).includes(param)

/** A listing wraps its query object to drop blank values; the document needs the object itself. */
function queryObject(schema: any): any {
  return schema.def?.type === 'pipe' ? queryObject(schema.def.out) : schema
}

/**
 * Union of the dashboard's widget replies, discriminated by key: the schema `Widget`. It is put into a response until it is moved
 * to the schemas.
 */
async function widgetReplies(modules: Modules): Promise<Record<string, ZodOpenApiResponseObject>> {
  const cards = (await modules.widgets())
    .flatMap(({ widgets }) => widgets)
    .map(({ key, title, shape, reply }) =>
      z
        .object({ key: z.literal(key), title: z.string(), data: reply })
        .meta({ id: `${key.split('_').map(capital).join('')}Widget`, title, 'x-widget-shape': shape }),
    )
  if (!cards.length) return {}
  const schema = z.discriminatedUnion('key', cards as [(typeof cards)[0]])
  return { Widget: { description: 'A widget', content: { 'application/json': { schema } } } }
}

/** Inserts the settings of all modules into schemas marked with `x-settings`, because settings are stored by key. */
function typeSettings(node: any, modules: Modules) {
  if (!node || typeof node !== 'object') return
  if (node['x-settings'] === 'workspace') {
    const { 'x-settings': _, propertyNames: __, ...rest } = node
    for (const key of Object.keys(node)) delete node[key]
    const declared = [...modules.settings].map(([key, { schema, default: initial, title }]) => [
      key,
      { ...z.toJSONSchema(schema, { io: 'input' }), $schema: undefined, title, description: `${title}.`, default: initial },
    ])
    Object.assign(node, rest, {
      properties: { ...rest.properties, ...Object.fromEntries(declared) },
      additionalProperties: false,
    })
  }
  for (const inner of Object.values(node)) typeSettings(inner, modules)
}

/** Formats that make their patterns redundant, which are hundreds of characters long. */
const SELF_EVIDENT = new Set(['date', 'date-time', 'email', 'uuid', 'uri'])

/** Removes redundant details: patterns of well-known formats, and the bounds of safe integers. Sets the minimum of ids to 1. */
function simplify(node: any, name = '') {
  if (!node || typeof node !== 'object') return
  if (SELF_EVIDENT.has(node.format)) delete node.pattern
  if (node.type === 'integer') {
    if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum
    if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum
    const isId = /(^|_)ids?$/.test(name) || node['x-refers-to']
    if (node.exclusiveMinimum === 0 || (isId && node.minimum === undefined)) node.minimum = 1
    if (node.exclusiveMinimum === 0) delete node.exclusiveMinimum
  }
  const isMap = name === 'properties'
  for (const [key, inner] of Object.entries(node))
    simplify(inner, isMap || typeof key !== 'string' ? key : keepsName(key) ? name : key)
}

/** Keys whose value describes the same field. */
const keepsName = (key: string) => /^(anyOf|items|schema|\d+)$/.test(key)

/** Gives every field a title: its own, or its name in words. A `$ref` can't have one next to it. */
function giveTitles(node: any) {
  if (!node || typeof node !== 'object') return
  if (node.type === 'object' && node.properties)
    for (const [name, field] of Object.entries<any>(node.properties)) if (!field.$ref) field.title ??= titleOf(name, field)
  for (const inner of Object.values(node)) giveTitles(inner)
}

const titleOf = (name: string, field: object) =>
  humanised(JSON.stringify(field).includes('"x-refers-to"') ? name.replace(/_id$/, '') : name)

/** Removes components that nothing refers to, repeatedly, because others may be used only by these. */
function dropUnused(document: { components?: object }) {
  const { securitySchemes, ...kinds } = document.components as Record<string, Record<string, unknown>>
  for (let dropped = true; dropped; ) {
    dropped = false
    const used = new Set(Array.from(JSON.stringify(document).matchAll(/"#\/components\/([^"]+)"/g), ([, name]) => name))
    for (const [kind, named] of Object.entries(kinds))
      for (const name of Object.keys(named)) if (!used.has(`${kind}/${name}`)) dropped = delete named[name]
  }
}
