/** Types of calls, derived from the API documents: paths, options and replies. */

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Paths that have a method. */
export type PathsWith<Paths, M extends Method> = {
  [Path in keyof Paths]: Paths[Path] extends { [K in M]: { responses: unknown } } ? Path : never
}[keyof Paths] &
  string

/** Operation of a path and method in an OpenAPI type. */
export type OperationOf<Paths, Path, M extends Method> = Path extends keyof Paths
  ? M extends keyof Paths[Path]
    ? Paths[Path][M]
    : never
  : never

type Bodies = { json: unknown; text: string; blob: Blob; arrayBuffer: ArrayBuffer; stream: ReadableStream<Uint8Array> | null }
export type ParseAs = keyof Bodies

/** Condition on the record's state, by the `etag` of an earlier reply. */
export interface IfMatch {
  /** Changes the record only if its state still has this `etag`; a 412 otherwise. Undefined: in any state. */
  ifMatch?: string | undefined
}

/** Options of every call. */
export interface CallOptions {
  signal?: AbortSignal | undefined
  headers?: Record<string, string>
  /** Sends this call's requests instead of the client's `fetch`. */
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

/** Options of a call of an operation. */
export type OptionsOf<Op, As extends ParseAs = 'json'> = CallOptions &
  ParamsOption<Op> &
  BodyOption<Op> &
  IfMatchOption<Op> & { parseAs?: As }

/** Last argument of a call, which is optional if no option is required. */
export type Rest<Options> = {} extends Options ? [options?: Options] : [options: Options]

/** Successful reply. */
export interface Reply<Data = unknown, Meta = unknown> {
  /** Requested data. */
  data: Data
  /** Position in a list. */
  meta: Meta
  /** Message for people. */
  message: string
  /** State of the returned record, for `ifMatch` of a change. */
  etag: string | undefined
  response: Response
}

type SuccessOf<Op> = Op extends { responses: infer R }
  ? { [S in keyof R & (200 | 201)]: R[S] extends { content: { 'application/json': infer Body } } ? Body : never }[keyof R &
      (200 | 201)]
  : never
type ReplyInJson<Body> = Body extends { data: infer Data; meta: infer Meta } ? Reply<Data, Meta> : Reply<Body, undefined>

/** Reply of a call of an operation. */
export type ReplyOf<Op, As extends ParseAs = 'json'> = As extends 'json'
  ? ReplyInJson<SuccessOf<Op>>
  : Reply<Bodies[As], undefined>
export type DataOf<Op> = ReplyOf<Op>['data']
export type MetaOf<Op> = ReplyOf<Op>['meta']

/** Request body of an operation. */
export type BodyOf<Op> = Op extends { requestBody: infer Body } ? ContentOf<Body> : never

/** Paths whose GET returns a page of a list. */
export type ListPaths<Paths> = {
  [Path in keyof Paths]: Paths[Path] extends { get: infer Op }
    ? SuccessOf<Op> extends { meta: { next_page_url: unknown } }
      ? Path
      : never
    : never
}[keyof Paths] &
  string
/** Record in the list that an operation returns. */
export type RowOf<Op> = DataOf<Op> extends readonly (infer Row)[] ? Row : never
