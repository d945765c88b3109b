/** `If-Match`: a change counts only for the state of a record that the client has seen. */
import { badRequest, HttpError } from '../errors.ts'
import { etagOf } from '../records/view.ts'

/** `*`, or entity tags: an opaque text in quotes, perhaps marked as weak (RFC 9110). */
const TAGS = /^\s*(\*|(W\/)?"[\x21\x23-\x7e\x80-\xff]*"(\s*,\s*(W\/)?"[\x21\x23-\x7e\x80-\xff]*")*)\s*$/

/** 412 when the client changed an older state of the record than the one that is stored, 400 for what is no entity tag. */
export function checkIfMatch(header: string | undefined, row: unknown) {
  if (header === undefined || header.trim() === '*') return
  if (!TAGS.test(header)) throw badRequest('If-Match must be *, or the ETag of the record as it was given, with its quotes.')
  const { id, revision } = (row ?? {}) as { id?: number; revision?: number }
  if (id === undefined || revision === undefined) return
  const sent = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (!sent.includes(etagOf({ id, revision }))) throw changedMeanwhile()
}

/** 412: the record isn't what the client has seen; it may be gone. */
export const changedMeanwhile = () =>
  new HttpError(412, 'PRECONDITION_FAILED', 'The record was changed in the meantime. Read it again and repeat the change.')
