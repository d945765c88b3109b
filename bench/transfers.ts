/** Upload and download of a document in megabytes per second, compared with a bare stream to the same disk. One at a time. */
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { whole } from './table.ts'

const MEGABYTE = 1024 * 1024
const SIZE = 50 * MEGABYTE
const TURNS = 9

/** Returns figures of a suite: the median of the rounds. `folder` must be on the disk where Atrium stores files. */
export async function measureTransfers(base: string, token: string, folder: string): Promise<[string, string][]> {
  const headers = { authorization: `Bearer ${token}` }
  const child = fork(join(import.meta.dirname, 'bare-stream.ts'))
  try {
    child.send(join(folder, 'bare-stream'))
    const [bare] = (await once(child, 'message')) as [string]
    const documents = `${base}/api/tenant/v1/documents`
    const content = new Blob([Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'), randomBytes(SIZE - 6)])
    const form = () => {
      const body = new FormData()
      body.append('title', 'Measured')
      body.append('file', content, 'measured.7z')
      return body
    }
    const turns = { up: [] as number[], bareUp: [] as number[], down: [] as number[], bareDown: [] as number[] }
    for (let turn = 0; turn < TURNS; turn++) {
      let id = 0
      turns.bareUp.push(await rate(async () => void (await ask(bare, { method: 'POST', body: content }))))
      turns.up.push(
        await rate(async () => {
          id = JSON.parse(String(await ask(documents, { method: 'POST', headers, body: form() }))).data.id
        }),
      )
      turns.bareDown.push(await rate(async () => void (await ask(bare))))
      turns.down.push(await rate(async () => void (await ask(`${documents}/${id}/download`, { headers }))))
      await ask(`${documents}/${id}`, { method: 'DELETE', headers })
      await ask(`${documents}/${id}/force`, { method: 'DELETE', headers })
    }
    const beside = (ours: number[], bare: number[]) => `${whole(median(ours))} MB/s (bare stream ${whole(median(bare))})`
    return [
      ['upload of 50 MB', beside(turns.up, turns.bareUp)],
      ['download of 50 MB', beside(turns.down, turns.bareDown)],
    ]
  } finally {
    child.disconnect()
  }
}

async function ask(url: string, options?: RequestInit) {
  const reply = await fetch(url, options)
  const body = Buffer.from(await reply.arrayBuffer())
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${body}`)
  return body
}

async function rate(work: () => Promise<void>) {
  const began = performance.now()
  await work()
  return (SIZE / MEGABYTE / (performance.now() - began)) * 1000
}

const median = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!
