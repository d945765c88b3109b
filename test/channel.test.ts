/** Messages between processes: two channels on one database, as in two processes. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Channel, channelIn } from '#kernel/database/channel.ts'
import { startTest } from '#test/harness.ts'

declare module '#kernel/database/channel.ts' {
  interface Topics {
    greeting: { text: string }
  }
}

const world = await startTest()
const { channel: here, database, log, config } = world.services
let there: Channel

before(async () => {
  there = channelIn(config.DATABASE_URL!, database, log)
  await there.start()
})
after(() => there.stop())

/** Collects the messages of a channel and waits for a given number. */
function hearing(channel: Channel) {
  const heard: string[] = []
  const told = new EventEmitter()
  const missed = () => told.emit('missed')
  const listener = ({ text }: { text: string }) => {
    heard.push(text)
    told.emit(String(heard.length))
  }
  const end = channel.on('greeting', listener, missed)
  return { heard, end, told, until: (count: number) => (heard.length >= count ? undefined : once(told, String(count))) }
}

describe('a message', () => {
  it('reaches its own process at once and the other one, each once', async () => {
    const [a, b] = [hearing(here), hearing(there)]
    here.publish('greeting', { text: 'one' })
    assert.deepEqual(a.heard, ['one'])
    await b.until(1)
    there.publish('greeting', { text: 'two' })
    await a.until(2)
    assert.deepEqual(
      [a.heard, b.heard],
      [
        ['one', 'two'],
        ['one', 'two'],
      ],
    )
    a.end()
    b.end()
  })

  it('arrives in order, however many there are at once', async () => {
    const b = hearing(there)
    const texts = Array.from({ length: 500 }, (_, n) => `${n} ${'é'.repeat(n)}`)
    for (const text of texts) here.publish('greeting', { text })
    await b.until(texts.length)
    assert.deepEqual(b.heard, texts)
    b.end()
  })

  it('must fit into a notification', () => {
    assert.throws(() => here.publish('greeting', { text: 'x'.repeat(8000) }), /too large/)
  })

  it('harms nobody else when a listener fails', async () => {
    const end = there.on('greeting', () => {
      throw new Error('no')
    })
    const b = hearing(there)
    here.publish('greeting', { text: 'still' })
    await b.until(1)
    end()
    b.end()
  })
})

describe('a listening connection', () => {
  it('that is lost comes back, and says that messages may have been missed', async () => {
    const b = hearing(there)
    const missed = once(b.told, 'missed')
    await world.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atrium-channel' AND datname = current_database()`,
    )
    await missed
    here.publish('greeting', { text: 'again' })
    await b.until(1)
    b.end()
  })

  it('is closed by a stop that comes while another one is on its way', async (t) => {
    const address = new URL(config.DATABASE_URL!)
    const [folder, port] = [address.searchParams.get('host'), Number(address.port || 5432)]
    const connections: Socket[] = []
    /** The second connection waits here. */
    const { promise: second, resolve: hold } = Promise.withResolvers<() => void>()
    const proxy = createServer((near) => {
      const pass = () => {
        const far = folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(port, address.hostname)
        near.pipe(far.on('error', () => {})).pipe(near.on('error', () => {}))
      }
      if (connections.push(near) === 1) pass()
      else hold(pass)
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    t.after(() => {
      for (const one of connections) one.destroy()
      proxy.close()
    })
    const behind = Object.assign(new URL(address), {
      hostname: '127.0.0.1',
      port: String((proxy.address() as AddressInfo).port),
    })
    behind.searchParams.delete('host')
    const channel = channelIn(behind.href, database, log)
    await channel.start()
    connections[0]!.destroy()
    const pass = await second
    const closed = once(connections[1]!, 'close').then(() => true)
    const stopped = channel.stop()
    pass()
    await stopped
    assert.ok(await Promise.race([closed, sleep(5000, false)]))
  })
})
