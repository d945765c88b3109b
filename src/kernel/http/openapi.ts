/** OpenAPI 3.1 of one API, from the very schemas that validate and serialise. docs/api-conventions.md tells of the `x-` keywords. */
import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'
import { basePaths, type Module, type Modules } from '../modules/module.ts'
import { isRecord } from '../records/view.ts'
import { capital, humanised } from '../values/words.ts'
import type { UploadRules } from './multipart.ts'
import { errorsOf, headersOf, parametersOf, schemeOf, sharedComponents } from './openapi-parts.ts'
import { operationName } from './operation-names.ts'
import { envelopeOf } from './reply.ts'
import { answersPages, type Route, textParams } from './route.ts'

const titles = { workspace: 'Atrium workspace API', platform: 'Atrium platform API' }

export async function openApi(modules: Modules, surface: 'workspace' | 'platform', baseUrl: string) {
  const paths: ZodOpenApiPathsObject = {}
  const bases = new Map<string, Set<string>>()
  const tags = new Map<string, Module>()
  const schemes = new Map<string, {}>()
  let pages = false
  for (const { module, route, path } of await modules.routes()) {
    const base = baseIn(surface, module, path)
    if (base === undefined) continue
    tags.set(module.title, module)
    const scheme = schemeOf(route)
    if (scheme) schemes.set(scheme[0], scheme[1])
    pages ||= answersPages(route)
    const name = path.slice(base.length).replace(/:(\w+)/g, '{$1}')
    ;(paths[name] ??= {})[route.method.toLowerCase() as 'get'] = operation(module, route, name)
    bases.set(name, (bases.get(name) ?? new Set()).add(base))
  }
  for (const [name, some] of bases)
    if (some.has('')) paths[name]!.servers = [...some].map((base) => ({ url: `${baseUrl}${base}` }))
  const shared = sharedComponents(pages)
  const widgets = surface === 'workspace' ? await widgetReplies(modules) : {}
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: titles[surface],
      version: '1',
      description: 'Every reply has the envelope {status, message, data, meta}.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      contact: { name: 'Whoever runs this service', url: baseUrl },
    },
    servers: [{ url: `${baseUrl}${basePaths[surface]}` }],
    tags: [...tags.values()].map(({ title, description }) => ({ name: title, description })),
    components: {
      ...shared,
      responses: { ...shared.responses, ...widgets },
      securitySchemes: Object.fromEntries(schemes) as {},
    },
    paths,
  })
  const components = document.components as Record<string, Record<string, any>>
  if (components.responses!.Widget) components.schemas!.Widget = components.responses!.Widget.content['application/json'].schema
  giveTitles(document)
  dropUnused(document)
  return document
}

/**
 * Where a route hangs in a document: below its API's base path, or at the root of the service ('') as routes of public modules do, told on
 * the side whose modules they use; undefined when it belongs to the other document.
 */
function baseIn(surface: 'workspace' | 'platform', module: Module, path: string) {
  const base = Object.values(basePaths).find((one) => one && path.startsWith(`${one}/`)) ?? ''
  const isWorkspaces = base ? base === basePaths.workspace : module.uses !== undefined
  return isWorkspaces === (surface === 'workspace') ? base : undefined
}

function operation(module: Module, route: Route, name: string): ZodOpenApiOperationObject {
  const { spec, method } = route
  const params = [...name.matchAll(/\{(\w+)\}/g)].map(([, param]) => param!)
  const idempotent = method === 'POST' && !spec.notIdempotent
  const scheme = schemeOf(route)
  const needs = scheme ? `Needs: ${[spec.allow].flat().join(' or ')}.` : 'Needs no session.'
  const lists = spec.page !== undefined || spec.reply instanceof z.ZodArray
  const { operationId, summary } = operationName({
    method,
    path: name,
    answers: spec.file ? 'file' : lists ? 'list' : 'one',
    creates: spec.status === 201,
  })
  return {
    tags: [module.title],
    operationId: spec.operation ?? operationId,
    summary: spec.summary ?? summary,
    description: [needs, spec.description].filter(Boolean).join('\n\n'),
    security: scheme ? [{ [scheme[0]]: [] }] : [],
    parameters: parametersOf(route, idempotent),
    requestParams: {
      ...(params.length ? { path: z.object(Object.fromEntries(params.map((p) => [p, isText(p) ? z.string() : z.int()]))) } : {}),
      ...(spec.query ? { query: queryObject(spec.query) } : {}),
    },
    ...bodyOf(route),
    responses: { ...successOf(route, idempotent), ...errorsOf(route) },
  }
}

function bodyOf({ spec }: Route): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const { body, upload, form, raw } = spec
  if (!body) return raw ? { requestBody: { content: { '*/*': { schema: BYTES } } } } : {}
  const content = {
    'application/json': { schema: body },
    ...(upload ? { 'multipart/form-data': { schema: withFiles(body, upload) } } : {}),
    ...(form ? { 'application/x-www-form-urlencoded': { schema: body } } : {}),
  }
  return { requestBody: { required: true, content } }
}

function successOf(route: Route, idempotent: boolean): ZodOpenApiOperationObject['responses'] {
  const { spec } = route
  const headers = headersOf(route, { showsRecord: isRecord(spec.reply), idempotent })
  const description = spec.message ?? 'OK'
  if (spec.answer === 'redirect')
    return { 302: { description: 'Elsewhere', headers: { ...headers, Location: { $ref: '#/components/headers/Location' } } } }
  if (spec.answer && !spec.reply)
    return { 200: { description, headers, content: { [spec.answer]: { schema: bareSchema(spec.answer) } } } }
  if (spec.file) {
    const content = binaryOf([spec.file].flat())
    return {
      200: { description: 'The file', headers, content },
      206: { description: 'The part of it that Range asks for', headers, content },
      304: { description: 'The client has it already, as If-None-Match says', headers },
    }
  }
  return { [spec.status ?? 200]: { description, headers, content: { 'application/json': { schema: envelopeOf(spec) } } } }
}

const BYTES = { type: 'string', format: 'binary' } as const
const bareSchema = (type: string) => (/json$/.test(type) ? {} : /^text\//.test(type) ? { type: 'string' as const } : BYTES)
const binaryOf = (types: string[]) => Object.fromEntries(types.map((type) => [type, { schema: BYTES }]))

/** The body as a form sends it: its texts and the files beside them. */
const withFiles = (body: any, rules: UploadRules) =>
  body.extend(Object.fromEntries(Object.keys(rules).map((field) => [field, z.any().meta({ override: BYTES }).optional()])))

const isText = (param: string) => (textParams as readonly string[]).includes(param)

/** Listings wrap their query object to drop blank values; documents want the object itself. */
function queryObject(schema: any): any {
  return schema.def?.type === 'pipe' ? queryObject(schema.def.out) : schema
}

/** What the dashboard answers of each widget, told apart by the key: the schema `Widget`, in a response until it is in its place. */
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

/** Every field has a title: its own, or its name as people read it. A reference can hold none beside it. */
function giveTitles(node: any) {
  if (!node || typeof node !== 'object') return
  if (node.type === 'object' && node.properties)
    for (const [name, field] of Object.entries<any>(node.properties)) if (!field.$ref) field.title ??= titleOf(name, field)
  for (const inner of Object.values(node)) giveTitles(inner)
}

const titleOf = (name: string, field: object) =>
  humanised(JSON.stringify(field).includes('"x-refers-to"') ? name.replace(/_id$/, '') : name)

/** Components that nothing refers to are left out, and what only they referred to. */
function dropUnused(document: { components?: object }) {
  const { securitySchemes, ...kinds } = document.components as Record<string, Record<string, unknown>>
  for (let dropped = true; dropped; ) {
    dropped = false
    const text = JSON.stringify(document)
    for (const [kind, named] of Object.entries(kinds))
      for (const name of Object.keys(named)) if (!text.includes(`"#/components/${kind}/${name}"`)) dropped = delete named[name]
  }
}
