import type { AnyClient, AnyOptions, Client } from './client.ts'
import type { ListPaths, OperationOf, OptionsOf, ReplyOf, Rest, RowOf } from './types.ts'

/**
 * Iterates over a list by pages, 100 rows at a time unless the query has another `per_page`. Rows created or deleted meanwhile
 * shift others between pages. With ascending `created_at`, an existing row is only missed if an earlier one is deleted.
 */
export async function* pages<Paths, Path extends ListPaths<Paths>>(
  client: Client<Paths>,
  path: Path,
  ...[options]: Rest<OptionsOf<OperationOf<Paths, Path, 'get'>>>
): AsyncGenerator<ReplyOf<OperationOf<Paths, Path, 'get'>>, void, undefined> {
  const { params, ...call } = (options ?? {}) as AnyOptions
  for (let page = Number(params?.query?.page ?? 1); ; page++) {
    const query = { per_page: 100, ...params?.query, page }
    const reply = await (client as AnyClient).request('get', path, { ...call, params: { ...params, query } })
    yield reply as ReplyOf<OperationOf<Paths, Path, 'get'>>
    if (!reply.meta.next_page_url) return
  }
}

/** Iterates over the rows of a list: see `pages`. */
export async function* rows<Paths, Path extends ListPaths<Paths>>(
  client: Client<Paths>,
  path: Path,
  ...options: Rest<OptionsOf<OperationOf<Paths, Path, 'get'>>>
): AsyncGenerator<RowOf<OperationOf<Paths, Path, 'get'>>, void, undefined> {
  for await (const { data } of pages(client, path, ...options)) yield* data as RowOf<OperationOf<Paths, Path, 'get'>>[]
}
