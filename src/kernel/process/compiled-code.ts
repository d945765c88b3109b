/** V8's code of the modules, kept between starts: stripping types and compiling is half of what loading them costs. */
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { makeFolder, PRIVATE } from '../folders.ts'

/**
 * Keeps the compiled code in the data folder, which is the service's alone; a folder that others can write to, as the system's for temporary
 * files, would let them put code into this process. Where it can't be written, modules are compiled at each start.
 * `NODE_COMPILE_CACHE` names another folder, `NODE_DISABLE_COMPILE_CACHE` none.
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
