/** Interface of a file store: the local disk, or an S3 bucket. */
import type { Readable } from 'node:stream'

/** Positions of the first and the last byte, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** File store. A file is written once under its key and never changed. */
export interface Files {
  /**
   * Writes a file. Resolves when all content is durable. If reading the content fails, its error is rethrown and no file is left.
   */
  write(key: string, content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Returns the content or a range of it; undefined if the file doesn't exist. The caller must read the stream to its end or
   * destroy it.
   */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>
  /** Returns the size in bytes; undefined if the file doesn't exist. */
  size(key: string): Promise<number | undefined>
  /** Deletes a file and the remains of an interrupted write. No error if it doesn't exist. */
  delete(key: string): Promise<void>
  /**
   * Removes the empty folders left after deleting files. No one may still write there, because a folder could vanish under a new
   * file.
   */
  deleteEmptyFolders(folder: string): Promise<void>
}
