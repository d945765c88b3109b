/** `If-Match`: a change counts only for the state of a record that the client has seen. */
import { HttpError } from '../errors.ts'
import { etagOf } from '../records/view.ts'

/** 412 when the client changed an older state of the record than the one that is stored. */
export function checkIfMatch(header: string | undefined, row: unknown) {
  if (header === undefined || header.trim() === '*') return
  const { id, revision } = (row ?? {}) as { id?: number; revision?: number }
  if (id === undefined || revision === undefined) return
  const sent = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (!sent.includes(etagOf({ id, revision })))
    throw new HttpError(
      412,
      'PRECONDITION_FAILED',
      'The record was changed in the meantime. Read it again and repeat the change.',
    )
}
