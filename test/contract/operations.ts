/** Operations in the OpenAPI documents, with every reference resolved. */
import type { Schema } from './values.ts'

export interface Operation {
  /** The operation id: `createVendor`. Unique within its API. */
  id: string
  api: Api
  method: Method
  /** Absolute path with parameters in braces: `/api/tenant/v1/vendors/{id}`. */
  path: string
  /** `POST /api/tenant/v1/vendors/{id}/restore` */
  at: string
  parameters: Parameter[]
  /** Request bodies by media type; empty where there is none. */
  bodies: Record<string, Schema>
  /** Responses by status (including `default`) and media type. */
  responses: Record<string, Record<string, Schema>>
  /** Alternative authentication schemes; empty for public operations. */
  security: Scheme[]
}

export type Api = 'workspace' | 'platform'
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: Schema
}

export interface Scheme {
  type: 'http' | 'apiKey'
  /** Header of an `apiKey`. */
  name?: string
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** Returns every operation of a document, once per address. A path may have its own `servers`. */
export function operationsOf(document: any, api: Api): Operation[] {
  const { paths, servers, components, security } = resolved(document)
  return Object.entries<any>(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).flatMap((name) => {
      const { operationId, parameters = [], requestBody, responses, ...own } = item[name]
      const method = name.toUpperCase() as Method
      const of = {
        ...{ id: operationId, api, method },
        parameters: [...(item.parameters ?? []), ...parameters].map(({ required = false, ...one }) => ({ ...one, required })),
        bodies: schemasOf(requestBody?.content),
        responses: Object.fromEntries(
          Object.entries<any>(responses).map(([status, { content }]) => [status, schemasOf(content)]),
        ),
        security: (own.security ?? security ?? []).flatMap(Object.keys).map((name: string) => components.securitySchemes[name]),
      }
      return (own.servers ?? item.servers ?? servers).map(({ url }: { url: string }) => {
        const whole = new URL(url).pathname.replace(/\/$/, '') + path
        return { ...of, path: whole, at: `${method} ${whole}` }
      })
    }),
  )
}

const schemasOf = (content: Record<string, { schema: Schema }> = {}): Record<string, Schema> =>
  Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, schema]))

/** Returns the document with each `$ref` replaced by its target. Recursive schemas become cyclic objects. */
function resolved(document: any): any {
  const known = new Map<string, object>()
  const resolve = (node: any): any => {
    if (!node || typeof node !== 'object') return node
    if (Array.isArray(node)) return node.map(resolve)
    if (typeof node.$ref !== 'string')
      return Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, resolve(inner)]))
    const { $ref, ...beside } = node
    if (!known.has($ref)) {
      const target: object = {}
      known.set($ref, target)
      Object.assign(target, resolve(named(document, $ref)))
    }
    return Object.keys(beside).length ? { ...known.get($ref), ...resolve(beside) } : known.get($ref)
  }
  return resolve(document)
}

const named = (document: any, ref: string) =>
  ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], document)

/** Returns an operation's successful reply inside the envelope; undefined where it isn't JSON in the envelope. */
export function replyOf({ responses }: Operation): { status: number; data?: Schema } {
  const status = Object.keys(responses).find((one) => /^[23]/.test(one))!
  const data = responses[status]!['application/json']?.properties?.data
  return { status: Number(status), data }
}
