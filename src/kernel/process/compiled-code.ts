/** Cache of compiled modules between starts: stripping types and compiling is half the cost of loading them. */
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { makeFolder, PRIVATE } from '../folders.ts'

/**
 * Enables the compile cache in the data folder, which only the service can write. In a folder writable by others, such as the
 * system's temporary one, they could inject code into this process. If the folder can't be written, modules are compiled at each
 * start. `NODE_COMPILE_CACHE` names another folder, `NODE_DISABLE_COMPILE_CACHE` disables the cache.
 */
export function keepCompiledCode(env: Record<string, string | undefined>) {
  const folder = join(resolve(env.DATA_DIR || 'data'), 'compiled')
  try {
    makeFolder(folder, PRIVATE)
  } catch {
    return
  }
  enableCompileCache(folder)
}
