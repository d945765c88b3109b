/**
 * Methods of a path: GET routes answer HEAD too, PUT and PATCH are equivalent, and a wrong method gets a 405 instead of a 404.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { HttpError } from '../errors.ts'
import type { Method } from './route.ts'

type ServedMethod = Method | 'HEAD'

const PARTIAL = ['PUT', 'PATCH'] as const
const METHODS: HTTPMethod[] = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']

/** Returns the methods that a route serves: HEAD with each GET, and both PUT and PATCH unless the other one has its own route. */
export function methodsOf(all: { route: { method: Method }; path: string }[]) {
  const own = new Set(all.map(({ route, path }) => `${route.method} ${path}`))
  return ({ method }: { method: Method }, path: string): ServedMethod[] => {
    if (method === 'GET') return ['GET', 'HEAD']
    return (PARTIAL as readonly Method[]).includes(method)
      ? [method, ...PARTIAL.filter((one) => one !== method && !own.has(`${one} ${path}`))]
      : [method]
  }
}

/**
 * Records the routes of an application. Returns a function that gives the 405 of a request whose path has other methods;
 * undefined if it has none.
 */
export function methodGuard(app: FastifyInstance) {
  const routes = new Map<string, [HTTPMethod, string]>()
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat() as HTTPMethod[]) if (one !== 'OPTIONS') routes.set(`${one} ${url}`, [one, url])
  })
  /** Built on first use. */
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
