/** Which methods a path has: GET answers HEAD too, PUT and PATCH are alike, and the others are told (405) instead of hidden behind a 404. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { HttpError } from '../errors.ts'
import type { Method } from './route.ts'

type ServedMethod = Method | 'HEAD'

const PARTIAL = ['PUT', 'PATCH'] as const
const METHODS: HTTPMethod[] = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']

/** HEAD beside each GET, and both methods of a partial change, unless the other one has a route of its own. */
export function methodsOf(all: { route: { method: Method }; path: string }[]) {
  const own = new Set(all.map(({ route, path }) => `${route.method} ${path}`))
  return ({ method }: { method: Method }, path: string): ServedMethod[] => {
    if (method === 'GET') return ['GET', 'HEAD']
    return (PARTIAL as readonly Method[]).includes(method)
      ? [method, ...PARTIAL.filter((one) => one !== method && !own.has(`${one} ${path}`))]
      : [method]
  }
}

/** Remembers the routes of an application, and gives the 405 of a request whose path has other methods; undefined where it has none. */
export function methodGuard(app: FastifyInstance) {
  const routes = new Map<string, [HTTPMethod, string]>()
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat() as HTTPMethod[]) if (one !== 'OPTIONS') routes.set(`${one} ${url}`, [one, url])
  })
  /** Made for the first who needs it. */
  let router: ReturnType<typeof findMyWay> | undefined
  const makeRouter = () => {
    const made = findMyWay({ ignoreTrailingSlash: true, maxParamLength: Number.MAX_SAFE_INTEGER })
    for (const [method, url] of routes.values()) made.on(method, url, () => {})
    return made
  }
  return ({ url, method }: FastifyRequest) => {
    const at = (router ??= makeRouter())
    const allowed = METHODS.filter((one) => at.find(one, url.split('?')[0]!))
    if (!allowed.length || allowed.includes(method as HTTPMethod)) return undefined
    const allow = allowed.join(', ')
    return new HttpError(405, 'METHOD_NOT_ALLOWED', `This path has no ${method}. It has ${allow}.`, { headers: { allow } })
  }
}
