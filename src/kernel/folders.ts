/** Making folders, and which of them hold the service's code. */
import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

/** Makes a folder with those above it. Node's own `recursive` tries for ever below folders that take none, such as /proc. */
export function makeFolder(path: string) {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error // not another process that was first
  }
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
