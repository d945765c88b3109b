import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'
import { runJob } from './run-job.ts'

const world = await startTest({ roots: [join(import.meta.dirname, '../test/fixtures/jobs')] })
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['pages'] })
})

const run = (name: string, options: { workspace?: string; user?: number; data?: unknown } = {}) =>
  runJob(world.services, { name, data: {}, ...options })
const pages = async () =>
  (await world.sql('SELECT n, written_by FROM pages ORDER BY n')).map(({ n, written_by }) => [n, written_by])

describe('a job by hand', () => {
  it('does its work in the workspace that is named, as the system or on behalf of a user', async () => {
    assert.equal(await run('pages-hourly', { workspace: firm.slug }), undefined)
    assert.equal(await run('pages-signed', { workspace: firm.slug, user: firm.owner.id, data: { n: 5 } }), undefined)
    assert.deepEqual(await pages(), [
      [-60, 'Atrium'],
      [5, 'Olive Owner'],
    ])
    assert.equal(await run('sweep'), undefined)
  })

  it('says why there was nothing to do', async () => {
    const without = await world.workspace({ modules: [] })
    assert.match((await run('pages-hourly', { workspace: without.slug }))!, /./)
  })

  it('is refused with what is missing or wrong', async () => {
    await assert.rejects(run('pages-nothing'), /There is no job pages-nothing/)
    await assert.rejects(run('pages-hourly'), /name one with --workspace/)
    await assert.rejects(run('pages-hourly', { workspace: 'nobody' }), /There is no workspace nobody/)
    await assert.rejects(run('pages-signed', { workspace: firm.slug, data: { n: 1 } }), /name one with --user/)
    await assert.rejects(
      run('pages-sync', { workspace: firm.slug, data: { book: 'x' } }),
      /--data is not what pages-sync takes:\n.*book/s,
    )
  })
})
