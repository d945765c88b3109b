/** Files in an S3 bucket, or in a service that speaks its protocol. */
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import type { Config } from '../config.ts'
import { unavailable } from '../errors.ts'
import type { Files } from './files.ts'

/** S3 takes parts of at least 5 MiB, and 10,000 of them. Two are on their way at once: what a write holds in memory. */
const PART_BYTES = 5 * 1024 * 1024
const PARTS_AT_ONCE = 2

/** A bucket that can't be reached doesn't keep the service from starting: what needs no file goes on. In milliseconds. */
const CHECK_TIMEOUT_MS = 5_000

/** Files in a bucket. Throws where there is no such bucket, or where it is in another region; 503 FILE_STORAGE_UNAVAILABLE during an outage. */
export async function filesInS3(config: Config, Bucket: string): Promise<Files> {
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
  const abortSignal = AbortSignal.timeout(CHECK_TIMEOUT_MS)
  await client.send(new HeadBucketCommand({ Bucket }), { abortSignal }).catch((error: S3Error) => {
    const status = error.$metadata?.httpStatusCode
    if (status === 404) throw new Error(`S3_BUCKET: there is no bucket called ${Bucket} at ${config.S3_ENDPOINT ?? 'Amazon S3'}.`)
    if (status === 301) throw new Error(`S3_REGION: the bucket ${Bucket} is not in the region ${config.S3_REGION}.`)
  })
  return {
    async write(Key, content) {
      await new Upload({
        client,
        params: { Bucket, Key, Body: Readable.from(content, { objectMode: false }) },
        partSize: PART_BYTES,
        queueSize: PARTS_AT_ONCE,
      })
        .done() // which gives the parts up when it fails
        .catch(outage)
    },
    async read(Key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`
      const found = await client.send(new GetObjectCommand({ Bucket, Key, Range })).catch(undefinedIfMissing).catch(outage)
      return found?.Body as Readable | undefined
    },
    async size(Key) {
      const found = await client.send(new HeadObjectCommand({ Bucket, Key })).catch(undefinedIfMissing).catch(outage)
      return found?.ContentLength
    },
    async delete(Key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key })).catch(outage)
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key })).catch(outage)
      for (const { UploadId, Key: found } of Uploads)
        if (found === Key) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(outage)
    },
    async deleteEmptyFolders() {}, // a bucket has none
  }
}

/** What the client throws: with a status where somebody answered, and always with how often it was tried. */
interface S3Error extends Error {
  $metadata?: { httpStatusCode?: number }
}

function undefinedIfMissing(error: S3Error) {
  if (error.$metadata?.httpStatusCode !== 404 || error.name === 'NoSuchBucket') throw error
  return undefined
}

/** 503 for whatever the storage itself can't do; what went wrong with the content on its way stays what it is. */
function outage(error: S3Error): never {
  if (!error.$metadata) throw error
  const told = unavailable('Files can not be reached at the moment. Try again soon.', {
    code: 'FILE_STORAGE_UNAVAILABLE',
    seconds: 10,
  })
  throw Object.assign(told, { cause: error })
}
