/**
 * Collections of records, for work on many records (bulk actions, imports). Each action on a record goes through the route of
 * that action, with its checks and permissions, in a savepoint of its own.
 */

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Ctx, missing, savepoint } from '../context.ts'
import { forbidden, invalid, notFound } from '../errors.ts'
import { type RecordTable, recordTable, shownAsSent } from '../export/record-columns.ts'
import { isEntitled } from '../modules/subscriptions.ts'
import type { Permission } from '../names.ts'
import type { Listing } from '../records/listing.ts'
import type { Resource } from '../records/resource.ts'
import { readByIds } from '../records/view.ts'
import { refuseStandIn } from '../tenancy/session.ts'
import { readingStored } from '../values/html.ts'
import { withoutEarlyCommit } from './dry-run.ts'
import { assertMayGrant, grantsOf } from './grants.ts'
import type { Route } from './route.ts'

/** Method and path suffix of each action's route. */
const ROUTES = {
  create: ['POST', undefined],
  update: ['PUT', ''],
  assign: ['POST', '/assign'],
  status: ['POST', '/status'],
  delete: ['DELETE', ''],
  restore: ['POST', '/restore'],
} as const
export type Deed = keyof typeof ROUTES

/** Declaration of a collection, made where its routes are defined. */
export interface Declared {
  of: Resource
  list: Listing<any, Ctx>
  /** Request body of a record. */
  body: z.ZodObject
  /** Action that must precede the deletion of an unchanged record, as a suffix of the record's path: `/void`. */
  withdraw?: `/${string}`
  /** Actions implemented by the kernel alone. Their database checks also hold for pipelined actions, as constraints do. */
  plain: ReadonlySet<Deed>
}

/** A collection with the routes of its records in a workspace. */
export interface Collection extends Declared {
  /** Path of its routes: `/api/tenant/v1/vendors`. */
  path: string
  table: RecordTable
  /** Routes that run in one transaction and accept no file. */
  routes: Map<Deed, Route>
  /** Route that withdraws a record before it is deleted, if required. */
  withdrawal: Route | undefined
}

const declared = new Map<Route['handler'], Declared>()

/** Registers a collection under the handler of its bulk route, by which it is found among all routes. */
export const declareCollection = (handler: Route['handler'], of: Declared) => void declared.set(handler, of)

/** Returns all collections, including those of modules that the workspace hasn't installed. */
async function collections(ctx: Ctx) {
  const all = await ctx.services.modules.routes()
  return all.flatMap((one) => (declared.has(one.route.handler) ? { ...one, all, path: one.path.replace(/\/bulk$/, '') } : []))
}

/**
 * Returns a collection with the routes of its records. Throws 404 for an unknown one, and 403 if the workspace hasn't installed
 * its module.
 */
export async function collectionAt(ctx: Ctx, is: (path: string, route: Route) => boolean): Promise<Collection> {
  const found = (await collections(ctx)).find(({ path, route }) => is(path, route))
  if (!found) throw notFound('There is no such collection.')
  if (!isEntitled(ctx, found.module))
    throw forbidden(`The module ${found.module.title} is not installed in this workspace.`, 'MODULE_NOT_INSTALLED')
  const { path, all } = found
  const routes = new Map<Deed, Route>()
  for (const [deed, [method, behind]] of Object.entries(ROUTES)) {
    const route = all.find(({ route, path: at }) =>
      route.method !== method
        ? false
        : behind === undefined
          ? at === path
          : at.startsWith(`${path}/:`) && at.slice(path.length).replace(/^\/:\w+/, '') === behind,
    )?.route
    if (route && !route.multiTransaction && !route.spec.upload) routes.set(deed as Deed, route)
  }
  const { of, list, body, withdraw, plain } = declared.get(found.route.handler)!
  const withdrawal =
    withdraw && all.find(({ route, path: at }) => route.method === 'POST' && at === `${path}/:${of.key}${withdraw}`)
  if (withdraw && !withdrawal) throw new Error(`${path} has no ${withdraw}`)
  return { of, list, body, plain, path, table: recordTable(of, body), routes, withdrawal: withdrawal?.route }
}

/** A collection whose records can be imported from a file. */
export interface Importable {
  path: string
  /** Whether the actor may create or update such records. */
  isOpen: boolean
}

/**
 * Returns the collections that can be imported from a file: those of the workspace's modules without an import of their own.
 * Records that only a person in a session may create (such as accounts), or that grant access, can't be imported.
 */
export async function importables(ctx: Ctx): Promise<Importable[]> {
  const found = await collections(ctx)
  return found.flatMap(({ module, path, all }) => {
    if (!isEntitled(ctx, module) || all.some((one) => one.path === `${path}/imports`)) return []
    const makes = all.find((one) => one.path === path && one.route.method === 'POST')?.route
    if (!makes || makes.multiTransaction) return []
    const { upload, noKeys, inPerson } = makes.spec
    if (upload || noKeys || inPerson || grantsOf(makes) !== false) return []
    const changes = all.find((one) => one.route.method === 'PUT' && one.path.replace(/\/:\w+$/, '') === path)?.route
    return { path, isOpen: [makes, changes].some((route) => route !== undefined && mayUse(ctx, route)) }
  })
}

/**
 * Returns the route of an action. Throws 422 if there is none, 403 if the actor lacks the permission or is an impersonator on a
 * route that excludes them.
 */
export function routeOf(ctx: Ctx, { routes, of }: Pick<Collection, 'routes' | 'of'>, deed: Deed): Route {
  const route = routes.get(deed)
  if (!route) throw invalid({ action: `This can’t be done to a ${of.noun}.` })
  return allowed(ctx, route)
}

const neededFor = (route: Route) => [route.spec.allow].flat() as Permission[]
/** Whether the actor has one of the route's permissions. */
export const mayUse = (ctx: Ctx, route: Route): boolean => neededFor(route).some((permission) => ctx.can(permission))

function allowed(ctx: Ctx, route: Route): Route {
  refuseStandIn(route.spec, ctx.actor)
  if (!mayUse(ctx, route)) throw missing(neededFor(route)[0]!)
  return route
}

/** Returns the routes that undo `create`, in this order. Throws 422 and 403 as `routeOf`. */
export const wayBack = (ctx: Ctx, collection: Collection): Route[] => [
  ...(collection.withdrawal ? [allowed(ctx, collection.withdrawal)] : []),
  routeOf(ctx, collection, 'delete'),
]

/**
 * Runs a record's route in a savepoint, which is rolled back if it fails. Returns the route's result without rendering the
 * record.
 */
export const perform = (ctx: Ctx, route: Route, key: number | undefined, body: unknown): Promise<unknown> =>
  savepoint(ctx, (part) => performWithin(part, route, key, body))

/** As `perform`, without a savepoint: the caller must roll back if it fails. */
export async function performWithin(ctx: Ctx, route: Route, key: number | undefined, body: unknown): Promise<unknown> {
  const params = Object.fromEntries([...route.path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, key!]))
  const inner: Ctx = { ...ctx, ...withoutEarlyCommit, unread: true }
  await assertMayGrant(ctx, route, body)
  const record = key === undefined ? undefined : await route.spec.record!(inner, key, params)
  return route.handler(inner, { ...params, record, body, query: undefined, files: {}, headers: {} })
}

/** Returns, for each record, the request body that would restore the given fields. Fields that no view includes are missing. */
export async function sentFor(
  ctx: Ctx,
  { table, body, of }: Pick<Collection, 'table' | 'body' | 'of'>,
  ids: number[],
  fields: string[],
) {
  const shown = (await readByIds(ctx, table.view, of.table, ids)) as { id: number }[]
  return new Map(shown.map((row) => [row.id, shownAsSent(table.columns, body, row, fields)]))
}

type Fields = Record<string, unknown>

/**
 * Whether a record already has the values that are sent. Fields that no view includes count as different. `kept` is the result of
 * `sentFor`.
 */
export const isAsSent = (body: z.ZodObject, kept: Fields, sent: Fields): boolean =>
  Object.entries(sent).every(([name, value]) => {
    if (!(name in kept)) return false
    const { data, success } = readingStored(() => z.safeParse(body.shape[name] as z.core.$ZodType, kept[name]))
    return success && (isList(data) && isList(value) ? sameLines(data, value) : isDeepStrictEqual(data, value))
  })

const isList = (value: unknown): value is Fields[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null)

/**
 * Values equal to a missing field: lines are replaced as a whole, so a field that isn't sent is empty. `sort_order` is the line's
 * index.
 */
const NOTHING: readonly unknown[] = [undefined, null, '', '0', 0, false]
const sameLines = (kept: Fields[], sent: Fields[]) =>
  kept.length === sent.length &&
  kept.every((line, n) =>
    [...new Set([...Object.keys(line), ...Object.keys(sent[n]!)])].every(
      (name) =>
        isDeepStrictEqual(line[name], sent[n]![name]) ||
        (sent[n]![name] === undefined && (NOTHING.includes(line[name]) || (name === 'sort_order' && line[name] === n))),
    ),
  )
