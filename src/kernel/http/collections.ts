/**
 * Collections of records as work on many of them finds them: each deed to one goes through the route that does it to one, with its checks and
 * permissions, in a savepoint of its own.
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

/** By which route each deed is done. */
const ROUTES = {
  create: ['POST', undefined],
  update: ['PUT', ''],
  assign: ['POST', '/assign'],
  status: ['POST', '/status'],
  delete: ['DELETE', ''],
  restore: ['POST', '/restore'],
} as const
export type Deed = keyof typeof ROUTES

/** What is known of a collection where its routes are made. */
export interface Declared {
  of: Resource
  list: Listing<any, Ctx>
  /** What a client may send of a record. */
  body: z.ZodObject
  /** The action, behind the record's path, that comes before the deletion of one that is as it was made: `/void`. */
  withdraw?: `/${string}`
  /** Deeds that the kernel does alone. What they ask of the database holds for several that are on their way at once, as constraints do. */
  plain: ReadonlySet<Deed>
}

export interface Collection extends Declared {
  /** Of its routes: `/api/tenant/v1/vendors`. */
  path: string
  table: RecordTable
  /** Those that run in one transaction and take no file. */
  routes: Map<Deed, Route>
  /** By what a record is withdrawn before it is deleted, where it must be. */
  withdrawal: Route | undefined
}

const declared = new Map<Route['handler'], Declared>()

/** Ties a collection to the handler of its bulk route, by which it is found among all routes. */
export const declareCollection = (handler: Route['handler'], of: Declared) => void declared.set(handler, of)

/** All collections, of modules that the workspace has and of others. */
async function collections(ctx: Ctx) {
  const all = await ctx.services.modules.routes()
  return all.flatMap((one) => (declared.has(one.route.handler) ? { ...one, all, path: one.path.replace(/\/bulk$/, '') } : []))
}

/** A collection with the routes of its records. 404 where there is none; 403 where the workspace hasn't its module. */
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

export interface Importable {
  path: string
  /** Whether the actor may make such records, or change them. */
  isOpen: boolean
}

/**
 * The collections whose records can be made by a file: those of the workspace's modules that have no import of their own. What is made in person alone, as
 * accounts are, or grants something, is made by no job.
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

/** The route that does it; 422 where there is none, 403 without any of its permissions, and where it is not for whoever comes so. */
export function routeOf(ctx: Ctx, { routes, of }: Pick<Collection, 'routes' | 'of'>, deed: Deed): Route {
  const route = routes.get(deed)
  if (!route) throw invalid({ action: `This can’t be done to a ${of.noun}.` })
  return allowed(ctx, route)
}

const neededFor = (route: Route) => [route.spec.allow].flat() as Permission[]
export const mayUse = (ctx: Ctx, route: Route): boolean => neededFor(route).some((permission) => ctx.can(permission))

function allowed(ctx: Ctx, route: Route): Route {
  refuseStandIn(route.spec, ctx.actor)
  if (!mayUse(ctx, route)) throw missing(neededFor(route)[0]!)
  return route
}

/** The routes that take back, in this order, what `create` has made. 422 and 403 as `routeOf`. */
export const wayBack = (ctx: Ctx, collection: Collection): Route[] => [
  ...(collection.withdrawal ? [allowed(ctx, collection.withdrawal)] : []),
  routeOf(ctx, collection, 'delete'),
]

/** Does to one record what its route does, undone alone where it fails. Answers what the route does, whose view is left out. */
export const perform = (ctx: Ctx, route: Route, key: number | undefined, body: unknown): Promise<unknown> =>
  savepoint(ctx, (part) => performWithin(part, route, key, body))

/** As `perform`; where it fails, whoever asks must undo what it did. */
export async function performWithin(ctx: Ctx, route: Route, key: number | undefined, body: unknown): Promise<unknown> {
  const params = Object.fromEntries([...route.path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, key!]))
  const inner: Ctx = { ...ctx, ...withoutEarlyCommit, unread: true }
  await assertMayGrant(ctx, route, body)
  const record = key === undefined ? undefined : await route.spec.record!(inner, key, params)
  return route.handler(inner, { ...params, record, body, query: undefined, files: {}, headers: {} })
}

/** What would be sent to have these records as they are, as far as some fields are concerned; fields that no view shows are missing. */
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

/** Whether a record is already as it is sent. A field that no view shows may be another one. `kept` is what `sentFor` gives. */
export const isAsSent = (body: z.ZodObject, kept: Fields, sent: Fields): boolean =>
  Object.entries(sent).every(([name, value]) => {
    if (!(name in kept)) return false
    const { data, success } = readingStored(() => z.safeParse(body.shape[name] as z.core.$ZodType, kept[name]))
    return success && (isList(data) && isList(value) ? sameLines(data, value) : isDeepStrictEqual(data, value))
  })

const isList = (value: unknown): value is Fields[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null)

/** Lines are replaced as a whole: what isn't sent of one is nothing, and its place is where it stands. */
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
