/** Baseline of file transfers: a bare server that streams the body of a POST to disk, and back. Started by measureTransfers. */
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'

process.once('message', async (path: string) => {
  const server = createServer(async (request, reply) => {
    if (request.method === 'GET') return void pipeline(createReadStream(path), reply)
    await pipeline(request, createWriteStream(path, { flush: true })) // durable, as in Atrium
    reply.end('{}')
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  process.send!(`http://localhost:${(server.address() as AddressInfo).port}`)
})
process.on('disconnect', () => process.exit())
