/** Copies folders while other processes change them, and syncs the copy to disk. */
import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Numbers of copied files and bytes. */
export interface Copied {
  files: number
  bytes: number
}

/**
 * Copies a folder recursively; `wanted` gets each path within it. Files that disappear meanwhile, and files that the copy already
 * has, are skipped. Folders are accessible only to their owner; files keep their mode.
 */
export async function copyFolder(from: string, to: string, wanted: (path: string) => boolean, inside = ''): Promise<Copied> {
  const entries = await readdir(join(from, inside), { withFileTypes: true }).catch(unlessMissing)
  const copied = { files: 0, bytes: 0 }
  if (!entries) return copied
  await mkdir(join(to, inside), { recursive: true, mode: 0o700 })
  for (const entry of entries) {
    const path = join(inside, entry.name)
    if (!wanted(path)) continue
    const below = entry.isDirectory() ? await copyFolder(from, to, wanted, path) : await copyOne(join(from, path), join(to, path))
    copied.files += below.files
    copied.bytes += below.bytes
  }
  await sync(join(to, inside))
  return copied
}

/** Copies a file, unless it is missing or the copy exists. */
export async function copyOne(from: string, to: string): Promise<Copied> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL)
  } catch (error) {
    if (['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code!)) return { files: 0, bytes: 0 }
    throw error
  }
  return { files: 1, bytes: await sync(to) }
}

/** Syncs a file, or the entries of a folder, to disk; returns its size. */
export async function sync(path: string): Promise<number> {
  const handle = await open(path)
  try {
    await handle.sync()
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

function unlessMissing(error: NodeJS.ErrnoException) {
  if (error.code !== 'ENOENT') throw error
  return undefined
}
