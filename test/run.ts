/** `npm test`: one PostgreSQL for all files, then node's own test runner. Arguments are files to run instead of all. */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { startServer } from './server.ts'

const given = process.argv.slice(2)
const files = given.length ? given : globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort()
const { facts, stop } = await startServer()
const runner = spawn(process.execPath, ['--test', '--test-concurrency=2', '--test-reporter=spec', ...files], {
  stdio: 'inherit',
  env: { ...process.env, TEST_SERVER: JSON.stringify(facts) },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal))
const code = await new Promise<number>((resolve) => runner.on('exit', (status) => resolve(status ?? 1)))
await stop()
process.exit(code)
