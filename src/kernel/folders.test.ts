import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { makePrivateFolder } from './folders.ts'
import { filesOnDisk } from './storage/disk.ts'

const around = mkdtempSync(join(tmpdir(), 'atrium-folders-'))
after(() => rmSync(around, { recursive: true }))
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
/** Mode of the data folder. Root's embedded database runs as another user, who must be able to pass through. */
const ROOT_MODE = process.getuid?.() === 0 ? '711' : '700'

describe('the data folder', () => {
  it('is closed to other users of the machine when it is made', () => {
    const data = join(around, 'new/data')
    makePrivateFolder(data)
    assert.equal(modeOf(data), ROOT_MODE)
  })

  it('and the folders in it are closed at the next start where they were open', () => {
    const data = join(around, 'open')
    for (const folder of [data, join(data, 'files'), join(data, 'console')]) mkdirSync(folder)
    for (const folder of [data, join(data, 'files'), join(data, 'console')]) chmodSync(folder, 0o755)
    makePrivateFolder(data)
    assert.deepEqual([data, join(data, 'files'), join(data, 'console')].map(modeOf), [ROOT_MODE, '700', '700'])
  })

  it('has folders of files that are closed to other users', async () => {
    const files = filesOnDisk(join(around, 'files'))
    await files.write(
      '7/documents/a.pdf',
      (async function* () {
        yield Buffer.from('%PDF')
      })() as never,
    )
    assert.deepEqual(
      ['', '7', '7/documents'].map((folder) => modeOf(join(around, 'files', folder))),
      ['700', '700', '700'],
    )
  })
})
