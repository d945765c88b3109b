import createFetch from 'openapi-fetch'
import { ApiError, errorOf, notOurs } from './error.ts'
import type { paths as PlatformPaths } from './generated/platform.ts'
import type { paths as WorkspacePaths } from './generated/workspace.ts'
import { type RetryOptions, send } from './retry.ts'
import type { CallOptions, IfMatch, Method, OperationOf, OptionsOf, ParseAs, PathsWith, Reply, ReplyOf, Rest } from './types.ts'

export interface ClientOptions extends Partial<RetryOptions> {
  /** Address of the service: `https://atrium.example`. */
  baseUrl: string
  /** API key, or token of a session. Signing in sets it. */
  token?: string | undefined
  /** Rejects unknown query parameters, with suggestions. Default: true. */
  strict?: boolean
  /** Replacement of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>
}

type Call<Paths, M extends Method> = <Path extends PathsWith<Paths, M>, As extends ParseAs = 'json'>(
  path: Path,
  ...options: Rest<OptionsOf<OperationOf<Paths, Path, M>, As>>
) => Promise<ReplyOf<OperationOf<Paths, Path, M>, As>>

/** Options of `request`, which is untyped. */
export interface AnyOptions extends CallOptions, IfMatch {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown>; header?: Record<string, unknown> }
  body?: unknown
  parseAs?: ParseAs
}

/** Client of either API. */
export interface AnyClient {
  readonly api: 'workspace' | 'platform'
  readonly baseUrl: string
  /** API key, or token of a session, that authenticates calls. */
  token: string | undefined
  /** Untyped call, for programs that read the OpenAPI document themselves. */
  request(method: Method, path: string, options?: AnyOptions): Promise<Reply<any, any>>
}

/** Client with typed calls. Each returns `data` and `meta` of the reply, and throws an `ApiError` unless it succeeds. */
export interface Client<Paths> extends AnyClient {
  GET: Call<Paths, 'get'>
  POST: Call<Paths, 'post'>
  PUT: Call<Paths, 'put'>
  PATCH: Call<Paths, 'patch'>
  DELETE: Call<Paths, 'delete'>
}
export interface WorkspaceClient extends Client<WorkspacePaths> {
  readonly api: 'workspace'
}
export interface PlatformClient extends Client<PlatformPaths> {
  readonly api: 'platform'
}

/** Returns a client of the workspace API. `workspace` is the slug of the workspace in which a platform account works. */
export const workspaceClient = ({ workspace, ...options }: ClientOptions & { workspace?: string }): WorkspaceClient =>
  clientOf('workspace', '/api/tenant/v1', options, workspace ? { 'X-Workspace': workspace } : {})

/** Returns a client of the platform API, for operators. */
export const platformClient = (options: ClientOptions): PlatformClient => clientOf('platform', '/api/central/v1', options, {})

type UntypedRequest = (
  method: Method,
  path: string,
  options: object,
) => Promise<{ data?: any; error?: unknown; response: Response }>

function clientOf<C extends WorkspaceClient | PlatformClient>(
  api: C['api'],
  base: string,
  options: ClientOptions,
  headers: Record<string, string>,
): C {
  const { strict = true, retries = 3, maxWait = 30, fetch = (request) => globalThis.fetch(request) } = options
  const baseUrl = options.baseUrl.replace(/\/+$/, '') + base
  // The document's types are erased here: calls are typed where they are made.
  const { request: sent } = createFetch<any>({ baseUrl, bodySerializer: serialized }) as unknown as { request: UntypedRequest }
  if (strict) headers = { ...headers, Prefer: 'handling=strict' }

  const client = { api, baseUrl, token: options.token, request } as unknown as C
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)
    client[method] = ((path: string, options?: AnyOptions) => request(method.toLowerCase() as Method, path, options)) as never
  return client

  async function request(method: Method, path: string, { ifMatch, fetch: own = fetch, ...options }: AnyOptions = {}) {
    checkPath(path, options.params?.path)
    let last: Response | undefined
    const { data, error, response } = await sent(method, path, {
      ...options,
      headers: {
        ...headers,
        // A repeated POST, after a lost reply or a 429, takes effect once.
        ...(method === 'post' ? { 'Idempotency-Key': newKey() } : {}),
        ...(client.token ? { Authorization: `Bearer ${client.token}` } : {}),
        ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
        ...options.headers,
      },
      fetch: async (request: Request) => (last = await send(request, own, { retries, maxWait })),
    }).catch((cause) => {
      options.signal?.throwIfAborted()
      throw last && !(cause instanceof ApiError) ? notOurs(last, cause) : cause
    })
    if (!response.ok) throw errorOf(response, error)
    const isEnvelope = data?.status === 'success' && 'meta' in data
    return {
      data: isEnvelope ? data.data : data,
      meta: isEnvelope ? data.meta : undefined,
      message: isEnvelope ? data.message : '',
      etag: response.headers.get('etag') ?? undefined,
      response,
    }
  }
}

/** 128 random bits. Not a UUID, because browsers create those only for pages served by https. */
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Each name in a path needs a value that doesn't change the path: `/short-links/..` would be another address. */
function checkPath(path: string, values: Record<string, unknown> = {}) {
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g))
    if (/^\.{0,2}$/.test(String(values[name] ?? ''))) throw new TypeError(`${path} needs a ${name}, not ${values[name]}.`)
}

/** Serialises as JSON; as a form if a field is a file, with lists as `name[]`. */
function serialized(body: any): string | FormData {
  if (body instanceof FormData) return body
  if (!Object.values(body).some((value) => value instanceof Blob)) return JSON.stringify(body)
  const form = new FormData()
  for (const [name, value] of Object.entries<any>(body)) {
    if (value === undefined) continue
    if (Array.isArray(value)) for (const one of value) form.append(`${name}[]`, one)
    else form.append(name, value ?? '')
  }
  return form
}
