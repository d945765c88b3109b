/** Files in an S3 bucket, or in a service that speaks its protocol. */
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import type { Config } from '../config.ts'
import type { Files } from './files.ts'

/** S3 takes parts of at least 5 MiB, and 10,000 of them. Two are on their way at once: what a write holds in memory. */
const PART_BYTES = 5 * 1024 * 1024
const PARTS_AT_ONCE = 2

export function filesInS3(config: Config, Bucket: string): Files {
  const client = new S3Client({
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
    forcePathStyle: config.S3_ENDPOINT !== undefined,
    // Checksums that S3 added later are unknown to many services that speak its protocol.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    credentials:
      config.S3_ACCESS_KEY_ID && config.S3_SECRET_ACCESS_KEY
        ? { accessKeyId: config.S3_ACCESS_KEY_ID, secretAccessKey: config.S3_SECRET_ACCESS_KEY }
        : undefined,
  })
  return {
    async write(Key, content) {
      await new Upload({
        client,
        params: { Bucket, Key, Body: Readable.from(content, { objectMode: false }) },
        partSize: PART_BYTES,
        queueSize: PARTS_AT_ONCE,
      }).done() // which gives the parts up when it fails
    },
    async read(Key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`
      const found = await client.send(new GetObjectCommand({ Bucket, Key, Range })).catch(undefinedIfMissing)
      return found?.Body as Readable | undefined
    },
    async size(Key) {
      return (await client.send(new HeadObjectCommand({ Bucket, Key })).catch(undefinedIfMissing))?.ContentLength
    },
    async delete(Key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }))
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }))
      for (const { UploadId, Key: found } of Uploads)
        if (found === Key) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
    },
  }
}

function undefinedIfMissing(error: { $metadata?: { httpStatusCode?: number } }) {
  if (error.$metadata?.httpStatusCode !== 404) throw error
  return undefined
}
