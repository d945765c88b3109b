/** Files in an S3 bucket, or in a compatible service. */
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

/** S3 requires parts of at least 5 MiB, at most 10,000 of them. A write holds two parts in memory, which are sent in parallel. */
const PART_BYTES = 5 * 1024 * 1024
const PARTS_AT_ONCE = 2

/**
 * Time limit of the check at start, in milliseconds. An unreachable bucket doesn't prevent the start: whatever needs no file
 * works.
 */
const CHECK_TIMEOUT_MS = 5_000

/**
 * Returns files in a bucket. Throws if the bucket doesn't exist or is in another region. Methods throw 503
 * FILE_STORAGE_UNAVAILABLE during an outage.
 */
export async function filesInS3(config: Config, Bucket: string): Promise<Files> {
  const client = new S3Client({
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
    forcePathStyle: config.S3_ENDPOINT !== undefined,
    // Many compatible services don't know the checksums that S3 added later.
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
        .done() // aborts the parts if it fails
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
    async deleteEmptyFolders() {}, // buckets have no folders
  }
}

/** Error of the client: with a status if there was a reply, and always with `$metadata`. */
interface S3Error extends Error {
  $metadata?: { httpStatusCode?: number }
}

function undefinedIfMissing(error: S3Error) {
  if (error.$metadata?.httpStatusCode !== 404 || error.name === 'NoSuchBucket') throw error
  return undefined
}

/** Throws a 503 for errors of the storage. Errors of the content's source are rethrown unchanged. */
function outage(error: S3Error): never {
  if (!error.$metadata) throw error
  const told = unavailable('Files can not be reached at the moment. Try again soon.', {
    code: 'FILE_STORAGE_UNAVAILABLE',
    seconds: 10,
  })
  throw Object.assign(told, { cause: error })
}
