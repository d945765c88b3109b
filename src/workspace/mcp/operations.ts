/**
 * Operations offered to agents: those of the workspace API that API keys may call, as their routes declare. Excluded: accounts,
 * sessions, factors, keys, uploads, and replies without the envelope. Operations that grant access or redirect money are neither
 * listed nor described, and their routes reject agents (see #kernel/http/grants.ts).
 */
import { z } from 'zod'
import type { WorkspaceSteps } from '#kernel/context.ts'
import { workspaceUser } from '#kernel/http/auth-strategies.ts'
import { grantsOf } from '#kernel/http/grants.ts'
import { wordsOf } from '#kernel/http/operation-descriptions.ts'
import type { Route } from '#kernel/http/route.ts'
import { basePaths, type Module, type Modules } from '#kernel/modules/module.ts'
import { isEntitled } from '#kernel/modules/subscriptions.ts'
import { splitWords } from './words.ts'

/** Tool that calls an operation. */
export type Kind = 'read' | 'write' | 'destroy' | 'get_document'

export interface Operation {
  id: string
  summary: string
  description: string
  kind: Kind
  /** Final states in its body, such as cancelled. A `write` that sets one counts as `destroy`. */
  ends: string[]
  module: Module
  route: Route
  /** Path below the API's base path: `/vendors/{id}`. */
  path: string
  /** Searchable words: of its name and path, and of its description. */
  words: { named: string[]; described: string }
  /** Filters of a list by word: `unpaid` maps to `status=unpaid`. */
  filters: Map<string, [field: string, value: string]>
}

/** Caller of an agent's tools: permissions, credentials for requests, and the client's name. */
export interface Caller extends WorkspaceSteps {
  credentials: Record<string, string>
  client: string
}

const made = new WeakMap<Modules, Promise<Map<string, Operation>>>()

/** Returns every operation offered to agents, by id. */
export const operationsOf = (modules: Modules) => made.getOrInsertComputed(modules, findOperations)

async function findOperations(modules: Modules): Promise<Map<string, Operation>> {
  const routes = (await modules.routes()).filter(({ module }) => module.surface === 'workspace')
  const all = new Set(routes.map(({ route, path }) => `${route.method} ${path}`))
  const offered = routes.filter(({ route }) => isOffered(route))
  return new Map(
    offered.map(({ module, route, path }) => {
      const name = path.slice(basePaths.workspace.length).replace(/:(\w+)/g, '{$1}')
      const { operationId: id, summary, description = '' } = wordsOf(route, name, all.has(`POST ${path}/restore`))
      const words = {
        named: [...splitWords(id), ...splitWords(name), ...splitWords(summary)],
        described: `${description} ${module.title}`.toLowerCase(),
      }
      const kind = kindOf(route, name)
      const [ends, filters] = [callingOff(kind, name, route), filtersOf(route)]
      return [id, { id, summary, description, kind, ends, module, route, path: name, words, filters }]
    }),
  )
}

function isOffered({ auth, spec }: Route): boolean {
  if (auth !== workspaceUser || spec.answer || spec.inPerson || spec.noKeys) return false
  return !Object.values(spec.upload ?? {}).some(({ required }) => required)
}

/** Last words of a path that delete, cancel or end something, or act on many records. */
const DESTROYING = new Set(
  'bulk run undo delete force void cancel disconnect revoke purge suspend unapply unmatch stop expire'.split(' '),
)

function kindOf({ method, spec }: Route, path: string): Kind {
  if (spec.file) return 'get_document'
  if (method === 'GET') return 'read'
  const last = path.split('/').at(-1)!
  return method === 'DELETE' || last.split('-').some((word) => DESTROYING.has(word)) ? 'destroy' : 'write'
}

/** States that cancel a record, where an update can set them. */
const CALLED_OFF = ['cancelled', 'terminated', 'void', 'voided', 'revoked']

function callingOff(kind: Kind, path: string, { spec }: Route): string[] {
  const status = kind === 'write' && path.includes('{') ? shapeOf(spec.body)?.status : undefined
  if (!status) return []
  const { enum: states = [] } = z.toJSONSchema(status, { io: 'input', unrepresentable: 'any' })
  return CALLED_OFF.filter((state) => states.includes(state))
}

/** Returns the tool that calls an operation with this body. */
export const kindOfCall = (operation: Operation, body: Record<string, unknown> = {}): Kind =>
  operation.ends.some((state) => body.status === state) ? 'destroy' : operation.kind

/** Returns the tools that may call an operation. */
export const kindsOf = (operation: Operation): Kind[] => [
  operation.kind,
  ...(operation.ends.length ? (['destroy'] as const) : []),
]

/**
 * Returns whether the caller may use an operation, by the same rule as its route. Visibility and state of single records are
 * checked by the call only.
 */
function mayUse({ credentials, actor, entitled, can }: Caller, { module, route }: Operation): boolean {
  if (grantsOf(route) === true) return false
  const { method, spec } = route
  const needed = module.core ? [] : (module.requires ?? [])
  if (!isEntitled({ entitled }, module) || !needed.every((key) => entitled(key))) return false
  if (spec.allow !== 'signed-in') return [spec.allow].flat().some((permission) => can(permission as never))
  if (spec.anyKey) return method === 'GET' || !actor.key || actor.key.scopes.some(writes)
  if ('x-workspace' in credentials) return false // operations open to everyone belong to members of the workspace
  return !actor.key || actor.key.scopes.includes('*') || (method === 'GET' && actor.key.scopes.includes('read'))
}

/** Returns whether a scope of a key permits more than reading. */
const writes = (scope: string) => scope !== 'read' && !scope.endsWith('.view')

/** Returns the operations that the caller may use. */
export async function usableBy(caller: Caller): Promise<Operation[]> {
  return [...(await operationsOf(caller.services.modules)).values()].filter((operation) => mayUse(caller, operation))
}

/** Listings wrap the object of their query. */
export const shapeOf = (schema: any): Record<string, z.core.$ZodType> | undefined =>
  schema?.def?.type === 'pipe' ? shapeOf(schema.def.out) : schema?.def?.shape

/** Returns a list's filters by words: the values of enumerated parameters, and flags. */
function filtersOf({ method, spec: { page, query } }: Route): Operation['filters'] {
  const filters: Operation['filters'] = new Map()
  if (method !== 'GET' || !page) return filters
  for (const [field, schema] of Object.entries(shapeOf(query) ?? {})) {
    if (NO_FILTERS.has(field)) continue
    const { enum: values = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    const isSwitch = values.includes('true')
    for (const value of isSwitch ? ['true'] : values.map(String)) {
      const word = splitWords(isSwitch ? field : value).join(' ')
      if (word && !filters.has(word)) filters.set(word, [field, value])
    }
  }
  return filters
}

/** Parameters of every list that are no filters. */
const NO_FILTERS = new Set(['sort', 'direction', 'page', 'per_page', 'trashed'])

/** Returns the filters of a list that occur in a query, as its parameters; undefined where there are none. */
export function filtersIn({ filters }: Operation, question: string): Record<string, string> | undefined {
  const asked = splitWords(question)
  const met = [...filters].filter(([words]) => ` ${asked.join(' ')} `.includes(` ${words} `)).map(([, filter]) => filter)
  return met.length ? Object.fromEntries(met) : undefined
}
