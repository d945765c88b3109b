/** Routes of the modules for which requests can be generated: collections, and the routes of one record. */
import { z } from 'zod'
import type { Route } from '#kernel/http/route.ts'
import { basePaths, type Module, type Modules } from '#kernel/modules/module.ts'
import { isRecord } from '#kernel/records/view.ts'

export interface Found {
  module: Module
  route: Route
  /** Path below the API's base path. */
  path: string
  /** `POST /vendors/:id/restore`. */
  at: string
  api: 'workspace' | 'platform'
}

/** A collection: routes that create, list and read records of one type. */
export interface Collection {
  path: string
  /** Record type: `vendor`. */
  resource: string
  titleField: string
  /** Key in its routes' paths. */
  key: 'id' | 'uuid'
  module: Module
  /** By method and the path after the collection's: `GET /:id`, `DELETE /:id/force`. */
  routes: Map<string, Route>
  /** Routes of one record for which requests can be generated. */
  ofOne: Found[]
}

export async function routesOf(modules: Modules): Promise<Found[]> {
  return (await modules.routes()).flatMap(({ module, route, path }) => {
    const api = module.surface
    if (api === 'public' || !path.startsWith(`${basePaths[api]}/`)) return []
    const below = path.slice(basePaths[api].length)
    return [{ module, route, path: below, at: `${route.method} ${below}`, api }]
  })
}

/** Returns the collections of the workspace API whose records can be created by POST. */
export function collectionsOf(all: Found[]): Collection[] {
  const workspace = all.filter(({ api }) => api === 'workspace')
  return workspace
    .filter(
      ({ route, path }) => route.method === 'POST' && route.spec.status === 201 && !/:/.test(path) && isRecord(route.spec.reply),
    )
    .map(({ module, route, path }) => {
      const meta = z.globalRegistry.get(route.spec.reply!)!
      const mine = workspace.filter((one) => one.path === path || one.path.startsWith(`${path}/`))
      const keyed = (one: Found) => `${one.route.method} ${one.path.slice(path.length).replace(/^\/:\w+/, '/:id') || '/'}`
      return {
        path,
        resource: meta['x-resource'] as string,
        titleField: meta['x-title-field'] as string,
        key: mine.some((one) => one.path.startsWith(`${path}/:uuid`)) ? ('uuid' as const) : ('id' as const),
        module,
        routes: new Map(mine.map((one) => [keyed(one), one.route])),
        ofOne: mine.filter((one) => /^\/:\w+(\/[a-z-]+)*$/.test(one.path.slice(path.length))),
      }
    })
}
