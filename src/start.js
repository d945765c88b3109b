/**
 * What `npm start` runs: `main.ts`, from the code that an earlier start has kept (kernel/process/compiled-code.ts). It is no TypeScript, because for the first
 * file with types that there is no code of Node loads what strips them: 10 MB of an idle process, and 0.2 s of each start.
 */
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'

const folder = join(resolve(process.env.DATA_DIR || 'data'), 'compiled')
if (existsSync(folder)) enableCompileCache(folder)
await import('./main.ts')
