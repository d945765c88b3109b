/** Tests of isolated functions: what a child may do, and how the server survives its failures. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pino from 'pino'
import type * as samples from '#test/fixtures/isolated-functions.ts'
import { HttpError } from '../errors.ts'
import { assertApartFromCode } from '../folders.ts'
import { IsolationError, isolated, isolationOf } from './isolated.ts'

const fixtures = join(import.meta.dirname, '../../../test/fixtures')
const isolation = isolationOf(pino({ level: 'silent' }), { alsoReadable: [fixtures] })
const services = { isolation }
after(() => isolation.stop())

const sample = <Name extends keyof typeof samples>(name: Name, limits = { seconds: 20, megabytes: 400 }) =>
  isolated<(typeof samples)[Name]>(import.meta.resolve('#test/fixtures/isolated-functions.ts'), name, limits)

const ended = (reason: string) => (error: unknown) => error instanceof IsolationError && error.reason === reason

describe('an isolated function', () => {
  it('gives what it would give here, bytes too', async () => {
    const { length, bytes } = await sample('measure')(services, 1, { bytes: Buffer.from('äöü') })
    assert.equal(length, 6)
    assert.deepEqual(Buffer.from(bytes).toString(), 'äöü')
  })

  it('that throws is an error with its message, and the next call goes well', async () => {
    await assert.rejects(sample('fail')(services, 1, 'no such charset'), { message: 'no such charset' })
    assert.equal((await sample('measure')(services, 1, { bytes: Buffer.alloc(3) })).length, 3)
  })

  it('that never ends is ended, and takes no time of anybody here', async () => {
    let ticks = 0
    const ticking = setInterval(() => ticks++, 50)
    await assert.rejects(sample('spin', { seconds: 1, megabytes: 400 })(services, 1, undefined), ended('timed_out'))
    clearInterval(ticking)
    assert.ok(ticks > 8, String(ticks))
  })

  it('that takes too much memory is ended', async () => {
    await assert.rejects(sample('hoard')(services, 1, undefined), ended('out_of_memory'))
  })

  it('reads no file but the code, and neither speaks to the network nor starts programs', async () => {
    for (const deed of ['readFile', 'writeFile', 'connect', 'spawn'] as const)
      assert.match(await sample('attempt')(services, 1, deed), /ERR_ACCESS_DENIED/, deed)
    assert.deepEqual(await sample('environment')(services, 1, undefined), [])
  })

  it('may read the code, and neither the data folder nor what else lies beside the code', async () => {
    const project = join(import.meta.dirname, '../../..')
    const at = (...names: string[]) => names.map((name) => join(project, name))
    const code = at('src/main.ts', 'node_modules/zod/package.json', 'package.json')
    const others = [...at('data/app.key', 'data', '.env', 'deploy', '.git/config', 'package-lock.json'), '/etc/passwd', '/']
    assert.deepEqual(
      await sample('mayRead')(services, 1, code),
      code.map(() => true),
    )
    assert.deepEqual(
      await sample('mayRead')(services, 1, others),
      others.map(() => false),
    )
  })

  it('that used up its time is not called again with the same input for an hour, and with another one it is', async (t) => {
    const seconds = { seconds: 0.5, megabytes: 400 }
    const countOf = async (result: string) => {
      const { values } = await isolation.metrics[0]!.get()
      return values.find(({ labels }) => labels.function === 'burn' && labels.result === result)?.value ?? 0
    }
    const burn = (workspace: number, s: number) => sample('burn', seconds)(services, workspace, s)
    for (let n = 0; n < 2; n++) await assert.rejects(burn(50, 60), ended('timed_out'))
    assert.deepEqual([await countOf('timed_out'), await countOf('remembered')], [1, 1])
    assert.equal(await burn(50, 0.01), 'burnt')
    await assert.rejects(burn(51, 60), ended('timed_out')) // the same input of another workspace is tried
    assert.equal(await countOf('timed_out'), 2)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_001 })
    await assert.rejects(burn(50, 60), ended('timed_out'))
    assert.deepEqual([await countOf('timed_out'), await countOf('remembered')], [3, 1])
  })

  it('that waits longer than it may without using CPU time is a 503, and tried again', async () => {
    const bounds = { seconds: 0.5, wallSeconds: 1, megabytes: 400 }
    for (let n = 0; n < 2; n++)
      await assert.rejects(sample('pause', bounds)(services, 52, 60_000), { status: 503, code: 'READER_BUSY' })
    assert.equal(await sample('pause', bounds)(services, 52, 1), undefined)
  })

  it('leaves nothing of its replies in the server while its child waits for more', async () => {
    const replies: WeakRef<Uint8Array>[] = []
    for (let n = 0; n < 10; n++)
      replies.push(new WeakRef((await sample('measure')(services, 1, { bytes: Buffer.alloc(1000) })).bytes))
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc')
    await setImmediate()
    collect()
    assert.ok(replies.filter((one) => one.deref()).length <= 1)
  })

  it('waits its turn by workspace, and too many of one are a 503', async () => {
    const calls = Array.from({ length: 30 }, () => sample('pause')(services, 1, 20))
    const other = sample('pause')(services, 2, 20)
    const outcomes = await Promise.allSettled(calls)
    const refused = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    assert.ok(refused.length >= 18 && refused.length <= 20, String(refused.length)) // two run, ten wait
    assert.ok(refused.every(({ reason }) => reason instanceof HttpError && reason.status === 503))
    await other
  })
})

describe('the data folder', () => {
  it('may not lie in what children read', () => {
    const project = join(import.meta.dirname, '../../..')
    for (const name of ['src', 'src/kernel/data', 'node_modules/.data', 'src/../src/x'])
      assert.throws(() => assertApartFromCode(join(project, name)), /DATA_DIR: .* holds the service's code/, name)
    for (const name of ['data', 'source', '.', '..']) assertApartFromCode(join(project, name))
    const folder = mkdtempSync(join(tmpdir(), 'atrium-link-'))
    symlinkSync(join(project, 'src'), join(folder, 'link'))
    assert.throws(() => assertApartFromCode(join(folder, 'link/data')), /DATA_DIR/)
    assertApartFromCode(join(folder, 'data'))
    rmSync(folder, { recursive: true })
  })
})
