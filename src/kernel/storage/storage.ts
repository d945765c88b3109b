/** Where files are: on the local disk below DATA_DIR, or in an S3 bucket. Links to them are signed by Atrium. */
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

export interface Storage extends Files {
  /** A small file as a whole; undefined when there is none. */
  get(key: string): Promise<Buffer | undefined>
  /** A link that opens the file for whoever has it: for good, or until an instant. */
  url(key: string, until?: string): string
  /** Whether a link's signature is ours and its time is not over; `expires` is the `e` of the link. */
  opens(key: string, signature: string, expires: string | undefined, now: string): boolean
}

/** The files of this installation. Throws where its bucket can't be used. */
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

/** The S3 client is heavy: it is loaded only where a bucket is configured. */
const s3 = async (config: Config, bucket: string) => (await import('./s3.ts')).filesInS3(config, bucket)
