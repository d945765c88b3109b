/** What the OpenAPI documents say of the service, operation by operation, with every reference resolved. */
import type { Schema } from './values.ts'

export interface Operation {
  /** The operation id: `createVendor`. Unique within its API. */
  id: string
  api: Api
  method: Method
  /** From the root, with its parameters in braces: `/api/tenant/v1/vendors/{id}`. */
  path: string
  /** `POST /api/tenant/v1/vendors/{id}/restore` */
  at: string
  parameters: Parameter[]
  /** What it takes, by media type; none where it takes no body. */
  bodies: Record<string, Schema>
  /** What it answers, by status (`default` among them) and media type. */
  responses: Record<string, Record<string, Schema>>
  /** How one comes in: any of these; none where anybody may. */
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
  /** The header of an `apiKey`. */
  name?: string
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** Every operation of a document; one that answers at several addresses is there for each. A path may have `servers` of its own. */
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

/** The document with what each `$ref` names in its place. A schema that holds itself does so there too. */
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

/** What an operation answers when it goes well, inside the envelope; undefined where that is no JSON of the envelope. */
export function replyOf({ responses }: Operation): { status: number; data?: Schema } {
  const status = Object.keys(responses).find((one) => /^[23]/.test(one))!
  const data = responses[status]!['application/json']?.properties?.data
  return { status: Number(status), data }
}
