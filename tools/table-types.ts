/** Writes src/kernel/database/tables.ts from a freshly migrated database; with --check it only says whether the file is stale. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { findMigrations, migrate } from '#kernel/database/migrate.ts'
import { migrationFolders, sourceRoot } from '#kernel/process/start.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'atrium-types-'))
const server = await startEmbedded({ dataDir, settings: { fsync: 'off' } })
try {
  await migrate(server.url, findMigrations(migrationFolders([sourceRoot])))
  const verify = process.argv.includes('--check') ? ['--verify'] : []
  const options = {
    dialect: 'postgres',
    url: server.url,
    'out-file': join(sourceRoot, 'kernel/database/tables.ts'),
    'numeric-parser': 'string',
    'date-parser': 'string',
    'default-schema': 'public',
    'include-pattern': 'public.*',
    'log-level': 'error',
    'type-mapping': JSON.stringify({ int8: 'number', timestamptz: 'string' }),
  }
  execFileSync('kysely-codegen', [...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]), ...verify], {
    stdio: 'inherit',
  })
} catch (error) {
  if (!(error as { status?: number }).status) throw error
  console.error('The generated table types are stale: npm run types')
  process.exitCode = 1
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
