/** Describes an operation from the API document: parameters, body and reply as JSON Schema. */
import { withExamplesAsOf } from '#kernel/http/example-dates.ts'
import { grantsOf } from '#kernel/http/grants.ts'
import type { Module, Modules } from '#kernel/modules/module.ts'
import type { Operation } from './operations.ts'

type Json = Record<string, any>

/** Cached documents of the requested modules; all of them together take some 30 MB. */
const documents = new WeakMap<Module, Promise<Json>>()

async function makeDocument(modules: Modules, baseUrl: string, module: Module): Promise<Json> {
  const { openApi } = await import('#kernel/http/openapi.ts')
  return openApi(modules, 'workspace', baseUrl, module)
}

/**
 * Returns an operation's texts and schemas, with examples relative to `today` and only the component schemas that it refers to.
 */
export async function describe(modules: Modules, baseUrl: string, operation: Operation, withReply: boolean, today: string) {
  const { module, path, route, id, kind, ends } = operation
  const document = await documents.getOrInsertComputed(module, () => makeDocument(modules, baseUrl, module))
  const { summary, description, parameters = [], requestBody, responses } = document.paths[path][route.method.toLowerCase()]
  const placed = (place: string) => parameters.filter((one: Json) => one.in === place)
  const success = Object.values<Json>(responses)[0]
  const shown = {
    operation: id,
    tool: kind,
    ...(ends.length ? { destroy_where_status_is: ends } : {}),
    request: `${route.method} ${path}`,
    summary,
    description,
    ...(placed('path').length ? { path: schemaOf(placed('path')) } : {}),
    ...(placed('query').length ? { query: schemaOf(placed('query')) } : {}),
    ...(requestBody ? { body: withoutGrants(requestBody.content['application/json'].schema, document, operation, modules) } : {}),
    ...(withReply
      ? { reply: success?.content?.['application/json']?.schema.properties ?? Object.keys(success?.content ?? {}) }
      : {}),
  }
  const schemas = schemasOf(shown, document.components.schemas)
  return withExamplesAsOf({ ...shown, ...(Object.keys(schemas).length ? { components: { schemas } } : {}) }, today)
}

/** Returns the body's schema without the fields or settings that agents may not set because they grant access. */
function withoutGrants(schema: Json, document: Json, { route }: Operation, modules: Modules): Json {
  const grants = grantsOf(route)
  if (typeof grants === 'boolean') return schema
  const body: Json = schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema
  if (grants !== 'settings') return without(body, (field) => grants.includes(field))
  const settings = without(body.properties.settings, (key) => modules.settings.get(key)?.grants === true)
  return { ...body, properties: { ...body.properties, settings } }
}

/** Returns an object schema without some of its fields. */
const without = ({ properties, required, ...object }: Json, isLeftOut: (name: string) => boolean): Json => ({
  ...object,
  properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !isLeftOut(name))),
  ...(required ? { required: required.filter((name: string) => !isLeftOut(name)) } : {}),
})

/** Returns parameters as one object schema. */
function schemaOf(parameters: Json[]) {
  const required = parameters.filter((one) => one.required).map((one) => one.name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, schema, description }) => [name, { ...schema, ...(description ? { description } : {}) }]),
    ),
    ...(required.length ? { required } : {}),
  }
}

/** Returns the referenced components, transitively. */
function schemasOf(shown: object, all: Json): Json {
  const found: Json = {}
  const waiting: unknown[] = [shown]
  while (waiting.length)
    for (const [, name] of JSON.stringify(waiting.pop()).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      if (!Object.hasOwn(found, name!)) waiting.push((found[name!] = all[name!]))
  return found
}
