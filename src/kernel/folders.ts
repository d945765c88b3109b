/** Creates private folders, and knows which folders contain the service's code. */
import { chmodSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

/** Creates a folder and its parents. Node's `recursive` loops forever below folders that accept no entries, such as /proc. */
export function makeFolder(path: string, mode?: number) {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, mode)
  } catch (error) {
    // no other process created it first
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}

/** Mode of data folders: accessible to the service's user only. */
export const PRIVATE = 0o700
/** Mode of the data folder. Root's embedded database runs as another user, who passes through it to a folder of its own. */
const privateRoot = () => (process.getuid?.() === 0 ? 0o711 : PRIVATE)

/**
 * Creates the data folder if it is missing. Removes other users' access to it and to the folders in it, including those of
 * earlier versions.
 */
export function makePrivateFolder(path: string) {
  makeFolder(path, privateRoot())
  tighten(path, privateRoot())
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) tighten(join(path, entry.name), PRIVATE)
}

/**
 * Removes permissions beyond `most` from a folder's mode. A folder owned by another user, such as a mounted volume, stays
 * unchanged.
 */
function tighten(path: string, most: number) {
  const { mode, uid } = statSync(path)
  if (uid === process.getuid?.() && mode & 0o777 & ~most) chmodSync(path, mode & most)
}

const project = join(import.meta.dirname, '../..')
/** Files of the service's code. The project folder itself would be too much: by default the data folder with the key is in it. */
export const codeFiles = ['src', 'node_modules', 'package.json'].map((name) => join(project, name))

/** Throws if the data folder is inside a folder that child processes may read. */
export function assertApartFromCode(dataDir: string) {
  const real = realPath(dataDir)
  const around = codeFiles.map(realPath).find((path) => real === path || real.startsWith(`${path}${sep}`))
  if (around)
    throw new Error(
      `DATA_DIR: ${dataDir} lies in ${around}, which holds the service's code: processes that read files of strangers may read all of it. Name a folder outside.`,
    )
}

/** Resolves symbolic links in the existing part of a path. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), path.slice(parent.length))
  }
}
