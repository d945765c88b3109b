/** What the API documents say of calls, as types: which paths there are, what a call takes, what it answers. */

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The paths that have a method. */
export type PathsWith<Paths, M extends Method> = {
  [Path in keyof Paths]: Paths[Path] extends { [K in M]: { responses: unknown } } ? Path : never
}[keyof Paths] &
  string

export type OperationOf<Paths, Path, M extends Method> = Path extends keyof Paths
  ? M extends keyof Paths[Path]
    ? Paths[Path][M]
    : never
  : never

type Bodies = { json: unknown; text: string; blob: Blob; arrayBuffer: ArrayBuffer; stream: ReadableStream<Uint8Array> | null }
export type ParseAs = keyof Bodies

/** A change of what has been read: `etag` of a reply. */
export interface IfMatch {
  /** The change is made only in the state that this `etag` of a reply names; a 412 otherwise. Undefined: in any state. */
  ifMatch?: string | undefined
}

/** What every call may be given. */
export interface CallOptions {
  signal?: AbortSignal | undefined
  headers?: Record<string, string>
  /** Sends this call’s requests, in place of the client’s `fetch`. */
  fetch?: (request: Request) => Promise<Response>
}

type ParametersOf<Op> = Op extends { parameters: infer P } ? { [K in keyof P as P[K] extends undefined ? never : K]: P[K] } : {}
type ParamsOption<Op> = {} extends ParametersOf<Op> ? { params?: ParametersOf<Op> } : { params: ParametersOf<Op> }

type ContentOf<Body> = Body extends { content: infer C } ? C[keyof C & ('application/json' | 'multipart/form-data')] : never
type BodyOption<Op> = Op extends { requestBody: infer Body }
  ? { body: ContentOf<Body> }
  : Op extends { requestBody?: infer Body }
    ? [ContentOf<NonNullable<Body>>] extends [never]
      ? { body?: never }
      : { body?: ContentOf<NonNullable<Body>> }
    : { body?: never }

type HeaderOf<Op> = Op extends { parameters: { header?: infer Header } }
  ? keyof ([Header] extends [undefined] ? {} : NonNullable<Header>)
  : never
type IfMatchOption<Op> = 'If-Match' extends HeaderOf<Op> ? IfMatch : {}

/** What a call of an operation takes. */
export type OptionsOf<Op, As extends ParseAs = 'json'> = CallOptions &
  ParamsOption<Op> &
  BodyOption<Op> &
  IfMatchOption<Op> & { parseAs?: As }

/** The last argument of a call, which can be left out where nothing has to be said. */
export type Rest<Options> = {} extends Options ? [options?: Options] : [options: Options]

export interface Reply<Data = unknown, Meta = unknown> {
  /** What was asked for. */
  data: Data
  /** Where in a list it is. */
  meta: Meta
  /** For people. */
  message: string
  /** The state of the record that is shown: `ifMatch` of a change. */
  etag: string | undefined
  response: Response
}

type SuccessOf<Op> = Op extends { responses: infer R }
  ? { [S in keyof R & (200 | 201)]: R[S] extends { content: { 'application/json': infer Body } } ? Body : never }[keyof R &
      (200 | 201)]
  : never
type ReplyInJson<Body> = Body extends { data: infer Data; meta: infer Meta } ? Reply<Data, Meta> : Reply<Body, undefined>

/** What a call of an operation answers. */
export type ReplyOf<Op, As extends ParseAs = 'json'> = As extends 'json'
  ? ReplyInJson<SuccessOf<Op>>
  : Reply<Bodies[As], undefined>
export type DataOf<Op> = ReplyOf<Op>['data']
export type MetaOf<Op> = ReplyOf<Op>['meta']

export type BodyOf<Op> = Op extends { requestBody: infer Body } ? ContentOf<Body> : never

/** The paths whose GET answers a page of a list. */
export type ListPaths<Paths> = {
  [Path in keyof Paths]: Paths[Path] extends { get: infer Op }
    ? SuccessOf<Op> extends { meta: { next_page_url: unknown } }
      ? Path
      : never
    : never
}[keyof Paths] &
  string
export type RowOf<Op> = DataOf<Op> extends readonly (infer Row)[] ? Row : never
