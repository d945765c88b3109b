/** Files: on the local disk below DATA_DIR, or in an S3 bucket. Served only through links that Atrium has signed. */
import { join } from 'node:path'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import type { Config } from '../process/config.ts'
import type { Secrets } from '../secrets/secrets.ts'

export interface Storage {
  put(key: string, bytes: Buffer): Promise<void>
  get(key: string): Promise<Buffer>
  stream(key: string): Promise<NodeJS.ReadableStream>
  delete(key: string): Promise<void>
  exists(key: string): Promise<boolean>
  /** A link that opens the file for whoever has it. */
  url(key: string): string
  /** Whether a link's signature is ours. */
  signed(key: string, signature: string): boolean
}

export async function storageOf(config: Config, secrets: Secrets): Promise<Storage> {
  const disk = new Disk(config.S3_BUCKET ? await s3Driver(config, config.S3_BUCKET) : localDriver(config))
  return {
    put: (key, bytes) => disk.put(key, bytes),
    get: async (key) => Buffer.from(await disk.getBytes(key)),
    stream: (key) => disk.getStream(key),
    delete: (key) => disk.delete(key),
    exists: (key) => disk.exists(key),
    url: (key) => `${config.BASE_URL}/files/${key}?s=${secrets.sign('file', key)}`,
    signed: (key, signature) => secrets.verify('file', key, signature),
  }
}

const localDriver = (config: Config) => new FSDriver({ location: join(config.DATA_DIR, 'files'), visibility: 'private' })

/** The S3 client is heavy: it is loaded only where a bucket is configured. */
async function s3Driver(config: Config, bucket: string) {
  const { S3Driver } = await import('flydrive/drivers/s3')
  return new S3Driver({
    bucket,
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
    forcePathStyle: config.S3_ENDPOINT !== undefined,
    credentials:
      config.S3_ACCESS_KEY_ID && config.S3_SECRET_ACCESS_KEY
        ? { accessKeyId: config.S3_ACCESS_KEY_ID, secretAccessKey: config.S3_SECRET_ACCESS_KEY }
        : undefined,
    visibility: 'private',
  })
}
