import type { AnyClient, AnyOptions, Client } from './client.ts'
import { ApiError } from './error.ts'
import type { BodyOf, DataOf, OperationOf, OptionsOf, PathsWith, Reply, ReplyOf } from './types.ts'

/** Paths of records that are read by GET and changed by PUT. */
export type RecordPaths<Paths> = PathsWith<Paths, 'get'> & PathsWith<Paths, 'put'>

/**
 * Reads a record, calls `edit` for the changes, and saves them only if no one else has changed the record meanwhile (`If-Match`).
 * On a conflict it reads and calls `edit` again, up to `tries` times, then throws the 412 (`PRECONDITION_FAILED`). If `edit`
 * returns undefined, nothing is changed and the reply of the read is returned.
 */
export async function change<Paths, Path extends RecordPaths<Paths>>(
  client: Client<Paths>,
  path: Path,
  options: OptionsOf<OperationOf<Paths, Path, 'get'>> & { tries?: number },
  edit: (read: DataOf<OperationOf<Paths, Path, 'get'>>) => MaybePromise<BodyOf<OperationOf<Paths, Path, 'put'>> | undefined>,
): Promise<ReplyOf<OperationOf<Paths, Path, 'put'>> | ReplyOf<OperationOf<Paths, Path, 'get'>>> {
  const { tries = 3, ...call } = options as AnyOptions & { tries?: number }
  const any: AnyClient = client
  for (let left = tries; ; ) {
    const read: Reply<any, any> = await any.request('get', path, call)
    const body = await edit(read.data)
    if (body === undefined) return read as ReplyOf<OperationOf<Paths, Path, 'get'>>
    try {
      return (await any.request('put', path, { ...call, body, ifMatch: read.etag })) as ReplyOf<OperationOf<Paths, Path, 'put'>>
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412 && --left > 0)) throw error
    }
  }
}
type MaybePromise<T> = T | Promise<T>
