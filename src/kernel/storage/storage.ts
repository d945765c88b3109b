/** Storage of files: on the local disk below DATA_DIR, or in an S3 bucket. Links to files are signed by Atrium. */
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Config } from '../config.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { filesOnDisk } from './disk.ts'
import type { Files } from './files.ts'

declare module '../context.ts' {
  interface Services {
    storage: Storage
  }
}

/** Files, with links to them. */
export interface Storage extends Files {
  /** Returns a small file's content; undefined if it doesn't exist. */
  get(key: string): Promise<Buffer | undefined>
  /** Returns a link that opens the file for anyone who has it, for good or until an instant. */
  url(key: string, until?: string): string
  /** Returns whether a link's signature is valid and not expired. `expires` is the link's parameter `e`. */
  opens(key: string, signature: string, expires: string | undefined, now: string): boolean
}

/** Returns this installation's storage. Throws if its bucket can't be used. */
export async function storageOf(config: Config, secrets: Secrets): Promise<Storage> {
  const files = config.S3_BUCKET ? await s3(config, config.S3_BUCKET) : filesOnDisk(join(config.DATA_DIR, 'files'))
  return {
    ...files,
    async get(key) {
      const content = await files.read(key)
      return content && buffer(content)
    },
    url(key, until) {
      const link = `${config.BASE_URL}/files/${key}`
      if (until === undefined) return `${link}?s=${secrets.sign('file', key)}`
      const expires = Math.floor(Date.parse(until) / 1000)
      return `${link}?e=${expires}&s=${secrets.sign('private file', `${expires} ${key}`)}`
    },
    opens(key, signature, expires, now) {
      if (expires === undefined) return secrets.verify('file', key, signature)
      return secrets.verify('private file', `${expires} ${key}`, signature) && Date.parse(now) < Number(expires) * 1000
    },
  }
}

/** Loads the S3 client, which is heavy, only if a bucket is configured. */
const s3 = async (config: Config, bucket: string) => (await import('./s3.ts')).filesInS3(config, bucket)
