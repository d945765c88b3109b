/**
 * ETags of records and what clients ask with them (RFC 9110, 13.1). A tag names two things: the revision, by which `If-Match` judges whether a
 * record has changed since it was read, and, in its last part, what the reply says. That changes with the names of others, notes and whatever
 * else is shown beside the record, too, so `If-None-Match` compares all of it.
 */
import { badRequest, HttpError } from '../errors.ts'
import { etagOf } from '../records/view.ts'
import { sha256 } from '../secrets/secrets.ts'

/** `*`, or entity tags: an opaque text in quotes, perhaps marked as weak. */
const TAGS = /^\s*(\*|(W\/)?"[\x21\x23-\x7e\x80-\xff]*"(\s*,\s*(W\/)?"[\x21\x23-\x7e\x80-\xff]*")*)\s*$/
/** The entity tags in a header. A comma between quotes is part of one. */
const TAG = /(?:W\/)?"[^"]*"/g
const WEAK = /^W\//
/** The revision's part of a record's tag, which clients may have without the rest. */
const REVISION = /^"(\d+-\d+)(?:-[^"]*)?"$/

/** The tag of a reply: of the record's revision, and of what is said of it. */
export const etagOfReply = (revision: string, json: string) =>
  `${revision.slice(0, -1)}-${sha256(json).toString('base64url').slice(0, 16)}"`

/** 412 when the client changed an older state of the record than the one that is stored, 400 for what is no entity tag. */
export function checkIfMatch(header: string | undefined, row: unknown) {
  if (header === undefined || header.trim() === '*') return
  if (!TAGS.test(header)) throw badRequest('If-Match must be *, or the ETag of the record as it was given, with its quotes.')
  const { id, revision } = (row ?? {}) as { id?: number; revision?: number }
  if (id === undefined || revision === undefined) return
  // The revision is all that is compared, so a tag that a proxy marked as weak when it compressed the reply names it as well.
  const sent = (header.match(TAG) ?? []).map((tag) => tag.replace(WEAK, '').replace(REVISION, '"$1"'))
  if (!sent.includes(etagOf({ id, revision }))) throw changedMeanwhile()
}

/** Whether `If-None-Match` names this tag: then the client has it already. A mark as weak doesn't count. */
export const namesEtag = (header: string | undefined, etag: string) =>
  header?.trim() === '*' || (header?.match(TAG)?.some((tag) => tag.replace(WEAK, '') === etag) ?? false)

/** 412: the record isn't what the client has seen; it may be gone. */
export const changedMeanwhile = () =>
  new HttpError(412, 'PRECONDITION_FAILED', 'The record was changed in the meantime. Read it again and repeat the change.')
