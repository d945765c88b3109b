/** What a place for files must be able to do: the local disk, or an S3 bucket. */
import type { Readable } from 'node:stream'

/** Positions of the first and the last byte, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** A file is written once under its key and never changed. */
export interface Files {
  /** Resolves when the whole content is durable. When the content fails, its error is passed on and no file is left. */
  write(key: string, content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void>
  /** The content, or a part of it; undefined when there is no such file. The caller reads the stream to its end or destroys it. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>
  /** Bytes; undefined when there is no such file. */
  size(key: string): Promise<number | undefined>
  /** Removes the file and what an interrupted write left of it. No error when there is none. */
  delete(key: string): Promise<void>
}
