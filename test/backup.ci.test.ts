/** `npm run backup` of a running service, and a service restored from it. `test/operations.ci.test.ts` runs the whole page. */
// CI stage: processes
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { backUp } from '#kernel/process/backup.ts'
import { ADMIN, killAll, ownersToken, privateFolder, runCommand, type Service, startService, workspaceOn } from './service.ts'

test('a backup that is made in the middle of the work holds all that was acknowledged before, and is a data folder', async (t) => {
  const { dataDir, remove } = privateFolder()
  let restored: Service | undefined
  t.after(() => restored?.stop())
  t.after(remove)
  const backup = join(dirname(dataDir), 'backups', 'first')
  const env = { DATA_DIR: dataDir, ...ADMIN }
  await assert.rejects(backUp(dataDir, backup), /There is no embedded database/)

  const service = await startService(env)
  const owner = await workspaceOn(service, ['vendors'])
  mkdirSync(join(dataDir, 'files/1'), { recursive: true })
  writeFileSync(join(dataDir, 'files/1/kept'), 'kept')
  writeFileSync(join(dataDir, 'files/1/arriving.part'), 'half')

  const acknowledged: number[] = []
  let over = false
  const hands = Array.from({ length: 2 }, async (_, hand) => {
    for (let n = 0; !over; n++) acknowledged.push((await owner('/vendors', { name: `Vendor ${hand}.${n}` })).body.data.id)
  })
  while (acknowledged.length < 20) await new Promise((resolve) => setTimeout(resolve, 5))
  const before = acknowledged.length
  const made = await runCommand(['backup', backup], env)
  over = true
  await Promise.all(hands)
  assert.equal(made.code, 0, made.output)
  assert.match(made.output, /the database \(\d+ MB\), 1 files, and the key\.\n$/)
  assert.ok(acknowledged.length > before, 'the work went on')

  assert.deepEqual(readdirSync(dirname(backup)), ['first'], 'nothing is left of the making')
  assert.deepEqual(readdirSync(backup).sort(), ['app.key', 'files', 'postgres'])
  assert.equal(statSync(backup).mode & 0o777, 0o700)
  assert.equal(readFileSync(join(backup, 'app.key'), 'utf8'), readFileSync(join(dataDir, 'app.key'), 'utf8'))
  assert.deepEqual(readdirSync(join(backup, 'files/1')), ['kept'])
  await assert.rejects(backUp(dataDir, backup), /exists already/)
  await assert.rejects(backUp(dataDir, join(dataDir, 'inside')), /name a folder outside/)

  await killAll(service, dataDir)
  restored = await startService({ DATA_DIR: backup })
  const again = restored.tenant(await ownersToken(restored))
  const there = (await again('/vendors?sort=id&direction=asc&per_page=100')).body
  assert.ok(there.meta.total >= before && there.meta.total <= acknowledged.length)
  const ids = new Set<number>()
  for (let page = 1; page <= there.meta.last_page; page++)
    for (const { id } of (await again(`/vendors?per_page=100&page=${page}`)).body.data) ids.add(id)
  assert.deepEqual(
    acknowledged.slice(0, before).filter((id) => !ids.has(id)),
    [],
  )
  assert.equal(ids.size, there.meta.total, 'tallies and rows are of one moment')
})
