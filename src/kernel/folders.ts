/** Making folders, and which of them hold the service's code. */
import { chmodSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

/** Makes a folder with those above it. Node's own `recursive` tries for ever below folders that take none, such as /proc. */
export function makeFolder(path: string, mode?: number) {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error // not another process that was first
  }
}

/** Folders of data are for the service's user alone. */
export const PRIVATE = 0o700
/** Root's embedded database runs as another account, which passes through the data folder to its own. */
const privateRoot = () => (process.getuid?.() === 0 ? 0o711 : PRIVATE)

/** Makes the data folder where there is none. It and the folders in it are closed to other users of the machine, those of earlier versions too. */
export function makePrivateFolder(path: string) {
  makeFolder(path, privateRoot())
  tighten(path, privateRoot())
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) tighten(join(path, entry.name), PRIVATE)
}

/** Takes away what a folder's mode allows beyond `most`. A folder of another user, as a mounted volume may be, stays as it is. */
function tighten(path: string, most: number) {
  const { mode, uid } = statSync(path)
  if (uid === process.getuid?.() && mode & 0o777 & ~most) chmodSync(path, mode & most)
}

const project = join(import.meta.dirname, '../..')
/** Files of the service's code. The whole project folder is more: the data folder with the key lies in it by default. */
export const codeFiles = ['src', 'node_modules', 'package.json'].map((name) => join(project, name))

/** Throws where the data folder lies in what children may read. */
export function assertApartFromCode(dataDir: string) {
  const real = realPath(dataDir)
  const around = codeFiles.map(realPath).find((path) => real === path || real.startsWith(`${path}${sep}`))
  if (around)
    throw new Error(
      `DATA_DIR: ${dataDir} lies in ${around}, which holds the service's code: processes that read files of strangers may read all of it. Name a folder outside.`,
    )
}

/** The path without symbolic links, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), path.slice(parent.length))
  }
}
