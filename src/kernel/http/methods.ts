/** Which methods a path has: PUT and PATCH are alike, and the others are told (405) instead of hidden behind a 404. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { HttpError } from '../errors.ts'
import type { Method } from './route.ts'

const PARTIAL = ['PUT', 'PATCH'] as const

/** Both methods of a partial change, unless the other one has a route of its own. */
export function methodsOf(all: { route: { method: Method }; path: string }[]) {
  const own = new Set(all.map(({ route, path }) => `${route.method} ${path}`))
  return ({ method }: { method: Method }, path: string): Method[] =>
    (PARTIAL as readonly Method[]).includes(method)
      ? [method, ...PARTIAL.filter((one) => one !== method && !own.has(`${one} ${path}`))]
      : [method]
}

/** Remembers the routes of an application, and gives the 405 of a request whose path has other methods; undefined where it has none. */
export function methodGuard(app: FastifyInstance) {
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: Number.MAX_SAFE_INTEGER })
  const methods = new Set<HTTPMethod>()
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat() as HTTPMethod[]) {
      if (one === 'OPTIONS' || router.hasRoute(one, url)) continue
      router.on(one, url, () => {})
      methods.add(one)
    }
  })
  return ({ url, method }: FastifyRequest) => {
    const allowed = [...methods].filter((one) => router.find(one, url.split('?')[0]!))
    if (!allowed.length || allowed.includes(method as HTTPMethod)) return undefined
    const allow = allowed.sort().join(', ')
    return new HttpError(405, 'METHOD_NOT_ALLOWED', `This path has no ${method}. It has ${allow}.`, { headers: { allow } })
  }
}
