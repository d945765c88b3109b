/** Functions on strangers' texts, in children: what they may do, and what is left of the server when they go wrong. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pino from 'pino'
import type * as samples from '#test/fixtures/isolated-functions.ts'
import { HttpError } from '../errors.ts'
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
    const began = performance.now()
    let ticks = 0
    const ticking = setInterval(() => ticks++, 50)
    await assert.rejects(sample('spin', { seconds: 1, megabytes: 400 })(services, 1, undefined), ended('timed_out'))
    clearInterval(ticking)
    assert.ok(ticks > 8, String(ticks))
    assert.ok(performance.now() - began < 30_000)
  })

  it('that takes too much memory is ended', async () => {
    await assert.rejects(sample('hoard')(services, 1, undefined), ended('out_of_memory'))
  })

  it('reads no file but the code, and neither speaks to the network nor starts programs', async () => {
    for (const deed of ['readFile', 'writeFile', 'connect', 'spawn'] as const)
      assert.match(await sample('attempt')(services, 1, deed), /ERR_ACCESS_DENIED/, deed)
    assert.deepEqual(await sample('environment')(services, 1, undefined), [])
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
    assert.ok(refused.length >= 18 && refused.length <= 20, String(refused.length)) // two work, ten wait
    assert.ok(refused.every(({ reason }) => reason instanceof HttpError && reason.status === 503))
    await other
  })
})
