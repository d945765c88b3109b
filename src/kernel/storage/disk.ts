/** Files on the local disk, each below a root folder at the path that its key is. */
import { mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Files } from './files.ts'

export function filesOnDisk(root: string): Files {
  const pathOf = (key: string) => {
    const path = join(root, key)
    if (!path.startsWith(root + sep)) throw new Error(`Not the key of a file: ${key}`)
    return path
  }
  return {
    /** Under another name until all of it is on the disk, so that a crash leaves no half file under the key. */
    async write(key, content) {
      const path = pathOf(key)
      const { file, firstMade } = await create(partOf(path))
      try {
        await pipeline(content, file.createWriteStream({ flush: true }))
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
      const path = pathOf(key)
      for (const one of [path, partOf(path)]) await rm(one, { force: true })
      for (let folder = dirname(path); folder !== root; folder = dirname(folder)) if (!(await isRemoved(folder))) break
    },
  }
}

const partOf = (path: string) => `${path}.part`

/** A new file, with the folders that it needs: one that is being removed because it was empty is made again. */
async function create(path: string) {
  let firstMade: string | undefined
  for (;;) {
    firstMade = (await mkdir(dirname(path), { recursive: true })) ?? firstMade
    const file = await open(path, 'wx', 0o600).catch(undefinedIfMissing)
    if (file) return { file, firstMade }
  }
}

/** Removes a folder if nothing is in it. */
const isRemoved = (folder: string) =>
  rmdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code!)) throw error
      return error.code === 'ENOENT'
    },
  )

function undefinedIfMissing(error: NodeJS.ErrnoException) {
  if (error.code !== 'ENOENT') throw error
  return undefined
}

/** A new name is durable once the folder that holds it is. */
async function syncFolder(path: string) {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
