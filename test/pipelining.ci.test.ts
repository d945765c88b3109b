/** Pipelined requests on one connection: cost for others, and order of replies. */
// CI stage: bounds
// Own process: memory is measured.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTest } from './harness.ts'
import { heldDuring } from './held.ts'

const world = await startTest()
let port: number

before(async () => {
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  port = (world.app.server.address() as AddressInfo).port
})

const request = (path: string, connection = 'keep-alive') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`

describe('pipelined requests', () => {
  it('are answered in their order', async () => {
    const socket = connect(port, '127.0.0.1')
    const paths = ['/api/tenant/v1/openapi.json', '/healthz', '/nothing', '/readyz']
    socket.write([...paths.map((path) => request(path)), request('/healthz', 'close')].join(''))
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    await once(socket, 'close')
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    assert.deepEqual(statuses, ['200', '200', '404', '200', '200'])
  })

  it('whose replies nobody reads are not worked on, and too many end the connection', async () => {
    const sockets = Array.from({ length: 5 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    const before = process.memoryUsage().rss
    const held = await heldDuring(async () => {
      for (const socket of sockets) {
        socket.pause()
        socket.write(request('/api/tenant/v1/openapi.json').repeat(90))
      }
      await sleep(500)
      assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200)
    })
    assert.ok(held < 1000, `${held} ms`)
    assert.ok(process.memoryUsage().rss - before < 100 * 2 ** 20)
    const ended = Promise.withResolvers<void>()
    const flood = connect(port, '127.0.0.1')
      .on('error', () => {})
      .on('close', () => ended.resolve())
    flood.resume().write(request('/api/tenant/v1/openapi.json').repeat(3000))
    await ended.promise
    for (const socket of sockets) socket.destroy()
  })
})

describe('the API documents', () => {
  it('are known again by their ETag', async () => {
    const first = await world.root.get('/api/tenant/v1/openapi.json')
    const { etag } = first.headers as { etag: string }
    assert.ok(etag)
    const again = await world.root.get('/api/tenant/v1/openapi.json', { headers: { 'if-none-match': etag } })
    assert.deepEqual([again.status, again.raw.length], [304, 0])
  })
})
