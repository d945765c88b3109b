/** Making folders. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

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
