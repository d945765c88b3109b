/**
 * ETags of records and conditional requests (RFC 9110, 13.1). A tag has two parts: the record's revision, which `If-Match`
 * compares, and a hash of the reply. The hash also changes with embedded names, notes and other related data, so `If-None-Match`
 * compares the whole tag.
 */
import { badRequest, HttpError } from '../errors.ts'
import { etagOf } from '../records/view.ts'
import { sha256 } from '../secrets/secrets.ts'

/** `*`, or a list of entity tags: opaque texts in quotes, possibly weak. */
const TAGS = /^\s*(\*|(W\/)?"[\x21\x23-\x7e\x80-\xff]*"(\s*,\s*(W\/)?"[\x21\x23-\x7e\x80-\xff]*")*)\s*$/
/** One entity tag of a header. A comma within quotes is part of it. */
const TAG = /(?:W\/)?"[^"]*"/g
const WEAK = /^W\//
/** Revision part of a record's tag; clients may send it without the hash. */
const REVISION = /^"(\d+-\d+)(?:-[^"]*)?"$/

/** Returns the tag of a reply: the record's revision and a hash of the reply. */
export const etagOfReply = (revision: string, json: string) =>
  `${revision.slice(0, -1)}-${sha256(json).toString('base64url').slice(0, 16)}"`

/** Throws 412 if the client's state of the record is older than the stored one, and 400 for a malformed header. */
export function checkIfMatch(header: string | undefined, row: unknown) {
  if (header === undefined || header.trim() === '*') return
  if (!TAGS.test(header)) throw badRequest('If-Match must be *, or the ETag of the record as it was given, with its quotes.')
  const { id, revision } = (row ?? {}) as { id?: number; revision?: number }
  if (id === undefined || revision === undefined) return
  // Only the revision is compared, so a tag that a proxy weakened by compressing the reply matches too.
  const sent = (header.match(TAG) ?? []).map((tag) => tag.replace(WEAK, '').replace(REVISION, '"$1"'))
  if (!sent.includes(etagOf({ id, revision }))) throw changedMeanwhile()
}

/** Whether `If-None-Match` contains this tag. Weak tags match too. */
export const namesEtag = (header: string | undefined, etag: string) =>
  header?.trim() === '*' || (header?.match(TAG)?.some((tag) => tag.replace(WEAK, '') === etag) ?? false)

/** 412: the record differs from the client's state, or was deleted. */
export const changedMeanwhile = () =>
  new HttpError(412, 'PRECONDITION_FAILED', 'The record was changed in the meantime. Read it again and repeat the change.')
