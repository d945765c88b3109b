/** A route: what may come in, who may come, what goes out. Modules list theirs; the kernel serves and documents them. */
import type { z } from 'zod'
import type { Ctx, PlatformCtx, PublicCtx } from '../context.ts'
import type { Permission, PlatformPermission } from '../modules/module.ts'
import type { Page } from '../records/listing.ts'
import type { Upload } from '../storage/uploads.ts'
import type { Limiter } from './limits.ts'
import type { UploadRules } from './multipart.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A file as a reply. The content is made, or read by its storage key, after the transaction has ended: no connection waits for it. */
export type FileReply = { name: string; type: string; disposition?: 'attachment' | 'inline' } & (
  | { content(): Promise<Buffer | NodeJS.ReadableStream> | Buffer | NodeJS.ReadableStream }
  | { key: string }
)

export interface Route {
  method: Method
  path: string
  guard: 'workspace' | 'platform' | 'public'
  spec: Spec<any, any, any, any, any, any, any, any>
  handler: (ctx: any, input: any) => Promise<unknown> | unknown
}

export interface Spec<C, A extends string, Q, B, Rec, R, P, F> {
  /** A permission, any of several, or just a session. Not given on public routes. */
  allow: A | readonly A[] | 'signed-in'
  /** Works before the address is verified or the workspace's module check (account routes). */
  unverified?: true
  limit?: Limiter
  query?: Q
  body?: B
  /** Accepts multipart besides JSON, with a file in these fields; they arrive, stored, in `files`. 422 on the field of a wrong one. */
  upload?: UploadRules
  /** Finds and locks the record that the path's first parameter names, before the body is looked at: 404 comes before 422, and `If-Match` is judged against it. */
  record?: (ctx: C, id: number) => Promise<Rec>
  /** Reply of one record or object. */
  reply?: R
  /** Reply of a list: `data` is an array of these, `meta` says where in the whole. */
  page?: P
  /** Reply is a file of this type, or one of these. */
  file?: F
  /** Default: 200, and 201 for a POST that says so. */
  status?: 200 | 201
  message?: string
  /** A GET that writes (seeding on first use). Others run in a read-only transaction. */
  writes?: true
}

/** `:id` is a whole number; uuid, token, key, slug and code are text. */
type ParamsOf<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Param<Name> & ParamsOf<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Param<Name>
    : {}
type Param<N extends string> = { [K in N]: N extends TextParam ? string : number }
export const textParams = ['uuid', 'token', 'key', 'slug', 'code', 'asset', 'provider'] as const
type TextParam = (typeof textParams)[number]

export type Input<P extends string, Q, B, Rec> = ParamsOf<P> & {
  query: Q extends z.ZodType ? z.output<Q> : undefined
  body: B extends z.ZodType ? z.output<B> : undefined
  record: Rec
  files: Record<string, Upload>
}

type Reply<R, P, F> = P extends z.ZodType
  ? Page<z.input<P>>
  : R extends z.ZodType
    ? z.input<R>
    : F extends string | readonly string[]
      ? FileReply
      : void

function makers<C, A extends string>(guard: Route['guard']) {
  const maker =
    (method: Method) =>
    <
      const Path extends string,
      Q extends z.ZodType | undefined = undefined,
      B extends z.ZodType | undefined = undefined,
      Rec = undefined,
      R extends z.ZodType | undefined = undefined,
      P extends z.ZodType | undefined = undefined,
      const F extends string | readonly string[] | undefined = undefined,
    >(
      path: Path,
      spec: Spec<C, A, Q, B, Rec, R, P, F>,
      handler: (ctx: C, input: Input<Path, Q, B, Rec>) => Promise<Reply<R, P, F>> | Reply<R, P, F>,
    ): Route => ({ method, path, guard, spec, handler })
  return { get: maker('GET'), post: maker('POST'), put: maker('PUT'), patch: maker('PATCH'), del: maker('DELETE') }
}

/** Routes of the workspace API: `ctx` is a workspace's. */
export const workspace = makers<Ctx, Permission>('workspace')
/** Routes of the platform API. */
export const platform = makers<PlatformCtx, PlatformPermission>('platform')
/** Routes for anybody, in either API or at the root. */
export const open = makers<PublicCtx, 'anybody'>('public')
