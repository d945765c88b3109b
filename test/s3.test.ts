/** File storage in S3, against a server with its protocol (moto's, where installed). Storage on disk must behave equally. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { readConfig } from '#kernel/config.ts'
import { secretsWith } from '#kernel/secrets/secrets.ts'
import { filesOnDisk } from '#kernel/storage/disk.ts'
import type { Files } from '#kernel/storage/files.ts'
import { storageOf } from '#kernel/storage/storage.ts'
import { freePort } from './free-port.ts'

const MEGABYTE = 1024 * 1024
const isInstalled = (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'moto_server')))

async function startS3() {
  const port = await freePort()
  const server: ChildProcess = spawn('moto_server', ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  const endpoint = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 600; tries++) {
    if (await fetch(endpoint).catch(() => undefined)) return { server, endpoint }
    await sleep(50)
  }
  throw new Error('moto_server does not answer')
}

const promises = (files: () => Files) => {
  const text = Buffer.from('0123456789')
  const all = async (content: Readable | undefined) => (await buffer(content!)).toString()

  it('a file is written, read whole and in part, and deleted', async () => {
    await files().write('a/b.txt', [text.subarray(0, 4), text.subarray(4)])
    assert.equal(await files().size('a/b.txt'), 10)
    assert.equal(await all(await files().read('a/b.txt')), '0123456789')
    assert.equal(await all(await files().read('a/b.txt', { start: 2, end: 4 })), '234')
    await files().delete('a/b.txt')
    await files().delete('a/b.txt')
    assert.deepEqual([await files().size('a/b.txt'), await files().read('a/b.txt')], [undefined, undefined])
  })

  it('an empty one, and one of many parts', async () => {
    await files().write('empty', [])
    assert.equal(await files().size('empty'), 0)
    const chunk = randomBytes(MEGABYTE)
    const hash = createHash('sha256')
    await files().write(
      'large',
      (function* () {
        for (let n = 0; n < 13; n++) {
          hash.update(chunk)
          yield chunk
        }
      })(),
    )
    const read = createHash('sha256')
    for await (const part of (await files().read('large'))!) read.update(part)
    assert.equal(read.digest('hex'), hash.digest('hex'))
  })

  it('content that fails leaves nothing, however much was sent', async () => {
    for (const megabytes of [1, 12]) {
      async function* broken() {
        for (let n = 0; n < megabytes; n++) yield randomBytes(MEGABYTE)
        throw new Error('broken off')
      }
      await assert.rejects(files().write('half', broken()), /broken off/)
      assert.equal(await files().size('half'), undefined)
    }
  })
}

describe('files on the disk', () => {
  const root = mkdtempSync(join(tmpdir(), 'atrium-disk-'))
  after(() => rmSync(root, { recursive: true, force: true }))
  promises(() => filesOnDisk(root))

  it('stay below their folder', async () => {
    for (const key of ['../x', 'a/../../x', '..', ''])
      await assert.rejects(filesOnDisk(root).write(key, []), /Not the key of a file/)
  })
})

describe('files in S3', { skip: !isInstalled && 'moto_server is not installed (pip install "moto[server]")' }, () => {
  let s3: Awaited<ReturnType<typeof startS3>>
  let files: Files
  let client: S3Client

  const inBucket = (S3_BUCKET: string, S3_ENDPOINT = s3.endpoint) => {
    const key = Buffer.alloc(32, 1).toString('base64')
    const config = readConfig({ APP_KEY: key, S3_BUCKET, S3_ENDPOINT, S3_ACCESS_KEY_ID: 'test', S3_SECRET_ACCESS_KEY: 'test' })
    return storageOf(config, secretsWith(config.APP_KEY))
  }

  before(async () => {
    s3 = await startS3()
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
    client = new S3Client({ region: 'us-east-1', endpoint: s3.endpoint, forcePathStyle: true, credentials })
    await client.send(new CreateBucketCommand({ Bucket: 'atrium' }))
    files = await inBucket('atrium')
  })
  after(() => {
    client.destroy()
    s3.server.kill()
  })
  promises(() => files)

  it('leave no parts of an upload that failed or whose process died', async () => {
    const parts = async () => (await client.send(new ListMultipartUploadsCommand({ Bucket: 'atrium' }))).Uploads?.length ?? 0
    assert.equal(await parts(), 0)
    for (const Key of ['died', 'died too']) await client.send(new CreateMultipartUploadCommand({ Bucket: 'atrium', Key }))
    await files.delete('died')
    assert.equal(await parts(), 1)
  })

  it('are not looked for in a bucket that there is not', async () => {
    await assert.rejects(inBucket('artium'), /S3_BUCKET: there is no bucket called artium at http/)
  })

  it('that can not be reached are a 503 of their own, at the start too', async () => {
    const lost = await inBucket('atrium', `http://127.0.0.1:${await freePort()}`)
    const outage = { status: 503, code: 'FILE_STORAGE_UNAVAILABLE' }
    await assert.rejects(lost.write('a', [Buffer.from('x')]), outage)
    await assert.rejects(lost.read('a'), outage)
    await assert.rejects(lost.size('a'), outage)
    await assert.rejects(lost.delete('a'), outage)
    s3.server.kill()
    await once(s3.server, 'exit')
    await assert.rejects(files.read('a'), outage)
  })
})
