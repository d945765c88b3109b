/** `npm test`: one PostgreSQL for all files, then node's own test runner. Arguments are files to run instead of all. */
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from './server.ts'

const given = process.argv.slice(2)
const files = given.length ? given : globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort()
const { facts, stop } = await startServer()
/** Each file is a process of its own, and loads the same modules: compiled once, they load in half the time. */
const compiled = mkdtempSync(join(tmpdir(), 'atrium-compiled-'))
const runner = spawn(process.execPath, ['--test', '--test-concurrency=2', '--test-reporter=spec', ...files], {
  stdio: 'inherit',
  env: { ...process.env, TEST_SERVER: JSON.stringify(facts), NODE_COMPILE_CACHE: compiled },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal))
const code = await new Promise<number>((resolve) => runner.on('exit', (status) => resolve(status ?? 1)))
await stop()
rmSync(compiled, { recursive: true, force: true })
process.exit(code)
