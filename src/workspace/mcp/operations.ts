/**
 * The operations that agents are offered: those of the workspace API that a key may ask for, as their routes declare them. What changes
 * accounts, sessions, factors and keys is not among them, nor what takes a file or isn't answered in the envelope. What changes who may come in or
 * where money goes is found and described by nobody, and its route refuses it (see #kernel/http/grants.ts).
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

/** By which tool an operation is called. */
export type Kind = 'read' | 'write' | 'destroy' | 'get_document'

export interface Operation {
  id: string
  summary: string
  description: string
  kind: Kind
  /** The states by which its body calls a record off: of a `write` that names one, it is `destroy`. */
  ends: string[]
  module: Module
  route: Route
  /** Below the API's base path: `/vendors/{id}`. */
  path: string
  /** What is searched: the words of its name and path, and those that describe it. */
  words: { named: string[]; described: string }
  /** By a word that people say, the field of a list's query, and its value, that keep such records: `unpaid` is `status=unpaid`. */
  filters: Map<string, [field: string, value: string]>
}

/** Who asks by an agent: their abilities, the credentials to call with, and what their program calls itself. */
export interface Caller extends WorkspaceSteps {
  credentials: Record<string, string>
  client: string
}

const made = new WeakMap<Modules, Promise<Map<string, Operation>>>()

/** Every operation that agents are offered, by its id. */
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

/** Words at the end of a path that take away, call off or end something, or do so with many at once. */
const DESTROYING = new Set(
  'bulk run undo delete force void cancel disconnect revoke purge suspend unapply unmatch stop expire'.split(' '),
)

function kindOf({ method, spec }: Route, path: string): Kind {
  if (spec.file) return 'get_document'
  if (method === 'GET') return 'read'
  const last = path.split('/').at(-1)!
  return method === 'DELETE' || last.split('-').some((word) => DESTROYING.has(word)) ? 'destroy' : 'write'
}

/** States that a record is called off by, where a change can bring it there. */
const CALLED_OFF = ['cancelled', 'terminated', 'void', 'voided', 'revoked']

function callingOff(kind: Kind, path: string, { spec }: Route): string[] {
  const status = kind === 'write' && path.includes('{') ? shapeOf(spec.body)?.status : undefined
  if (!status) return []
  const { enum: states = [] } = z.toJSONSchema(status, { io: 'input', unrepresentable: 'any' })
  return CALLED_OFF.filter((state) => states.includes(state))
}

/** By which tool an operation is called with a body. */
export const kindOfCall = (operation: Operation, body: Record<string, unknown> = {}): Kind =>
  operation.ends.some((state) => body.status === state) ? 'destroy' : operation.kind

/** By which tools an operation may be called. */
export const kindsOf = (operation: Operation): Kind[] => [
  operation.kind,
  ...(operation.ends.length ? (['destroy'] as const) : []),
]

/**
 * Whether somebody may use an operation: it is what its route will say of them when it is called. Records that they may not see and states
 * that don't allow it are another matter.
 */
function mayUse({ credentials, actor, entitled, can }: Caller, { module, route }: Operation): boolean {
  if (grantsOf(route) === true) return false
  const { method, spec } = route
  const needed = module.core ? [] : (module.requires ?? [])
  if (!isEntitled({ entitled }, module) || !needed.every((key) => entitled(key))) return false
  if (spec.allow !== 'signed-in') return [spec.allow].flat().some((permission) => can(permission as never))
  if (spec.anyKey) return method === 'GET' || !actor.key || actor.key.scopes.some(writes)
  if ('x-workspace' in credentials) return false // what everybody may belongs to people of the workspace
  return !actor.key || actor.key.scopes.includes('*') || (method === 'GET' && actor.key.scopes.includes('read'))
}

/** Whether a scope of a key reaches further than showing. */
const writes = (scope: string) => scope !== 'read' && !scope.endsWith('.view')

/** The operations that somebody may use. */
export async function usableBy(caller: Caller): Promise<Operation[]> {
  return [...(await operationsOf(caller.services.modules)).values()].filter((operation) => mayUse(caller, operation))
}

/** Listings wrap the object of their query. */
export const shapeOf = (schema: any): Record<string, z.core.$ZodType> | undefined =>
  schema?.def?.type === 'pipe' ? shapeOf(schema.def.out) : schema?.def?.shape

/** What a list can be asked to keep, by words: the values that a field takes, and fields that are on or off. */
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

/** What every list takes, and keeps no records by. */
const NO_FILTERS = new Set(['sort', 'direction', 'page', 'per_page', 'trashed'])

/** The filters of a list that a question speaks of, as its query takes them; undefined: of none. */
export function filtersIn({ filters }: Operation, question: string): Record<string, string> | undefined {
  const asked = splitWords(question)
  const met = [...filters].filter(([words]) => ` ${asked.join(' ')} `.includes(` ${words} `)).map(([, filter]) => filter)
  return met.length ? Object.fromEntries(met) : undefined
}
