/** A route: what may come in, who may come, what goes out. Modules list theirs; the kernel serves and documents them. */
import type { IncomingHttpHeaders } from 'node:http'
import type { z } from 'zod'
import type { Ctx, PlatformCtx, PlatformSteps, PublicCtx, PublicSteps, WorkspaceSteps } from '../context.ts'
import type { Permission, PlatformPermission } from '../names.ts'
import type { Page } from '../records/listing.ts'
import type { PageText } from '../records/page-text.ts'
import type { JsonText } from '../records/view.ts'
import type { Upload } from '../storage/uploads.ts'
import type { Answer, FileReply } from './answer.ts'
import { type AccessRules, type AuthStrategy, noAuth, platformUser, workspaceUser } from './auth-strategies.ts'
import type { Limiter } from './limits.ts'
import type { UploadRules } from './multipart.ts'

declare module '../modules/module.ts' {
  interface Manifest {
    routes?: () => Promise<{ default: Route[] }>
  }
  interface Modules {
    routes(): Promise<{ module: Module; route: Route; path: string }[]>
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Route {
  method: Method
  path: string
  auth: AuthStrategy
  spec: Spec<any, any, any, any, any, any, any, any, any, any>
  /** The handler runs its own transactions. */
  multiTransaction: boolean
  handler: (ctx: any, input: any) => Promise<unknown> | unknown
}

/** What people open in a browser: their errors are pages too. */
export const answersPages = ({ spec: { answer } }: Route) => answer === 'text/html' || answer === 'redirect'

export interface Spec<C, A extends string, Q, B, Rec, R, P, F, W, M> extends AccessRules<A> {
  limit?: Limiter
  query?: Q
  /** Of a POST, PUT, PATCH, or a DELETE that says more than its path. */
  body?: B
  /** Schema of the records that a bulk body changes: their formatted texts may stand in it too. */
  bodyOfEach?: z.core.$ZodType
  /** How many bytes the body may have, where its schema doesn't tell: see `maxBodyBytes`. */
  maxBytes?: number
  /** Takes `application/x-www-form-urlencoded` too, as clients of another protocol and forms without JavaScript send it. */
  form?: true
  /** The body's very bytes arrive in `raw`, whatever its type: for signatures. Without a body schema it isn't parsed at all. */
  raw?: true
  /** Of a route that reads the bytes: it takes multipart forms too, as bytes, where others refuse them (415). */
  rawMultipart?: true
  /** Accepts multipart besides JSON, with a file in these fields; they arrive, stored, in `files`. 422 on the field of a wrong one. */
  upload?: UploadRules
  /**
   * Finds and locks the record that the path's first parameter names, before the body is looked at: 404 comes before 422, and `If-Match`
   * is judged against it. Of a route in steps it is found in a read of its own, without a lock: the steps find it again.
   */
  record?: (ctx: C, id: any, params: Record<string, string | number>) => Promise<Rec>
  /**
   * What must hold of the record before the handler begins: throws what the route answers otherwise. `GET /:id/actions` asks it too, of a body that
   * nobody has sent.
   */
  guard?: (ctx: C, record: Rec, body?: B extends z.core.$ZodType ? z.output<B> : undefined) => unknown
  /** Reply of one record or object. */
  reply?: R
  /** The reply has a validator of its own, which the handler gives with the JSON: `If-None-Match` is a 304 then. */
  validated?: true
  /** A `meta` of its own beside the reply: the handler answers `{ data, meta }`. */
  meta?: M
  /** Reply of a list: `data` is an array of these, `meta` says where in the whole. */
  page?: P
  /** Reply is a file of this type, or one of these. */
  file?: F
  /** That file is one that is stored, also where it has rows: parts of it can be asked for. */
  storedFile?: true
  /** Reply without the envelope, of this type (a page, another protocol's JSON), or a `redirect`. Errors of `text/html` and of a `redirect` are pages too. */
  answer?: W
  /** Beside `answer`: instead of the page it may lead elsewhere, with this status. */
  mayRedirect?: 302 | 303
  /** Beside `answer`: messages that ask for no answer get a 202 without a body. */
  accepts?: true
  /** Errors in the API documents beyond those that follow from the rest: a 401 of a route that needs no session. */
  errors?: readonly (401 | 403 | 404 | 410 | 422 | 502)[]
  /** Default: 200, and 201 for a POST that says so. */
  status?: 200 | 201
  /** A PUT that makes the record where there is none: 201 then. */
  mayCreate?: true
  message?: string
  /** In the API documents. Default: from the method and the path. */
  summary?: string
  /** The operation id, which generated clients have as the name of a method. Default: from the method and the path. */
  operation?: string
  /** In the API documents: what it does, in a sentence or two. Default: from the method and the path, where these tell it. */
  description?: string
  /** A GET that writes. Others run in a read-only transaction. */
  writes?: true
  /** Ignores Idempotency-Key: what it answers must not be had twice (sign-in). */
  notIdempotent?: true
}

/** `:id` is a whole number; these are text, and `uuid` is one. */
export const textParams = ['uuid', 'token', 'key', 'slug', 'code', 'asset', 'provider', 'external_id', 'language'] as const
type TextParam = (typeof textParams)[number]
type ParamsOf<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Param<Name> & ParamsOf<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Param<Name>
    : {}
type Param<N extends string> = { [K in N]: N extends TextParam ? string : number }

export type Input<P extends string, Q, B, Rec, G> = ParamsOf<P> & {
  query: Q extends z.core.$ZodType ? z.output<Q> : undefined
  body: B extends z.core.$ZodType ? z.output<B> : undefined
  record: Rec
  files: Record<string, Upload>
  raw: Buffer
  headers: IncomingHttpHeaders
  /** What the auth strategy found out about who came. */
  guest: G
}

type Reply<R, P, F, W, M> = P extends z.core.$ZodType
  ? Page<z.input<P>> | PageText
  : W extends string
    ? Answer
    : F extends string | readonly string[]
      ? FileReply
      : R extends z.core.$ZodType
        ? M extends z.core.$ZodType
          ? { data: z.input<R> | JsonText | null; meta: { [K in keyof z.input<M>]: z.input<M>[K] | JsonText } }
          : z.input<R> | JsonText
        : void

type Maker<C, H, A extends string, G> = <
  const Path extends string,
  Q extends z.core.$ZodType | undefined = undefined,
  B extends z.core.$ZodType | undefined = undefined,
  Rec = undefined,
  R extends z.core.$ZodType | undefined = undefined,
  P extends z.core.$ZodType | undefined = undefined,
  const F extends string | readonly string[] | undefined = undefined,
  W extends string | undefined = undefined,
  M extends z.core.$ZodType | undefined = undefined,
>(
  path: Path,
  spec: Spec<C, A, Q, B, Rec, R, P, F, W, M>,
  handler: (ctx: H, input: Input<Path, Q, B, Rec, G>) => Promise<Reply<R, P, F, W, M>> | Reply<R, P, F, W, M>,
) => Route

type Makers<C, H, A extends string, G> = Record<'get' | 'post' | 'put' | 'patch' | 'del', Maker<C, H, A, G>>

const methods = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', del: 'DELETE' } as const

const guarded =
  (guard: NonNullable<Route['spec']['guard']>, handler: Route['handler']): Route['handler'] =>
  async (ctx, input) => {
    await guard(ctx, input.record, input.body)
    return handler(ctx, input)
  }

const makers = (auth: AuthStrategy, multiTransaction: boolean) =>
  Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      (path: string, spec: Route['spec'], handler: Route['handler']): Route => ({
        method,
        path,
        auth,
        spec,
        multiTransaction,
        handler: spec.guard ? guarded(spec.guard, handler) : handler,
      }),
    ]),
  ) as never

/** Routes whose handler runs in one transaction; `multiTransaction` makes those that run their own. */
const through = <C, S, A extends string, G = undefined>(
  auth: AuthStrategy<G>,
): Makers<C, C, A, G> & { multiTransaction: Makers<C, S, A, G> } =>
  Object.assign(makers(auth as AuthStrategy, false) as object, { multiTransaction: makers(auth as AuthStrategy, true) }) as never

/** Routes of the workspace API: `ctx` is a workspace's. */
export const workspace = through<Ctx, WorkspaceSteps, Permission>(workspaceUser)
/** Routes of the platform API. */
export const platform = through<PlatformCtx, PlatformSteps, PlatformPermission>(platformUser)
/** Routes for anybody, in either API or at the root. */
export const open = through<PublicCtx, PublicSteps, 'anybody'>(noAuth)
/** Routes of a workspace for those who come by an auth strategy of its own: by a key, a signature, a token in the path. */
export const routesFor = <G>(auth: AuthStrategy<G>) => through<Ctx, WorkspaceSteps, 'anybody', G>(auth)

/** Routes of which those that write are for people themselves: not for API keys, nor for whoever works as somebody else. */
export const writtenInPerson = (routes: Route[]): Route[] =>
  routes.map((route) => (route.method === 'GET' ? route : { ...route, spec: { ...route.spec, inPerson: true } }))

/** Puts routes below a path, for modules whose routes begin differently: `under('/employees', recordRoutes(employees, …))`. */
export const under = (path: `/${string}`, routes: Route[]): Route[] =>
  routes.map((route) => ({ ...route, path: route.path === '/' ? path : `${path}${route.path}` }))
