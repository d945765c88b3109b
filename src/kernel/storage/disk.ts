/** Files on the local disk. A key is a path below the root folder. */
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { PRIVATE } from '../folders.ts'
import type { Files } from './files.ts'

/** Returns the files of a folder; keys are paths in it. */
export function filesOnDisk(root: string): Files {
  const pathOf = (key: string) => {
    const path = join(root, key)
    if (!path.startsWith(root + sep)) throw new Error(`Not the key of a file: ${key}`)
    return path
  }
  return {
    /** Writes under a temporary name until all content is on disk, so that a crash leaves no partial file under the key. */
    async write(key, content) {
      const path = pathOf(key)
      const firstMade = await mkdir(dirname(path), { recursive: true, mode: PRIVATE })
      try {
        await pipeline(content, createWriteStream(partOf(path), { flags: 'wx', mode: 0o600, flush: true }))
        await rename(partOf(path), path)
      } catch (error) {
        await rm(partOf(path), { force: true })
        throw error
      }
      const last = firstMade ? dirname(firstMade) : dirname(path)
      for (let folder = dirname(path); ; folder = dirname(folder)) {
        await syncFolder(folder)
        if (folder === last) break
      }
    },
    async read(key, range) {
      const handle = await open(pathOf(key)).catch(undefinedIfMissing)
      return handle?.createReadStream(range)
    },
    async size(key) {
      return (await stat(pathOf(key)).catch(undefinedIfMissing))?.size
    },
    async delete(key) {
      for (const path of [pathOf(key), partOf(pathOf(key))]) await rm(path, { force: true })
    },
    async deleteEmptyFolders(folder) {
      await removeEmpty(pathOf(folder))
    },
  }
}

const partOf = (path: string) => `${path}.part`

/** Removes a folder and its subfolders, unless they contain files. */
async function removeEmpty(folder: string) {
  for (const entry of (await readdir(folder, { withFileTypes: true }).catch(undefinedIfMissing)) ?? [])
    if (entry.isDirectory()) await removeEmpty(join(folder, entry.name))
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code!)) throw error
  })
}

function undefinedIfMissing(error: NodeJS.ErrnoException) {
  if (error.code !== 'ENOENT') throw error
  return undefined
}

/** Makes a new name durable by syncing its folder. */
async function syncFolder(path: string) {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
