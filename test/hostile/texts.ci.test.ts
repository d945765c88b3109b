/**
 * Sends the worst texts in every text of every body, up to the maximum length of the text and the body. Limits the time that the
 * event loop is blocked and the growth of memory; replies must be a 2xx or a clear 4xx.
 */
// CI stage: texts
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fillDemo } from '#kernel/demo/parts.ts'
import { busyIn } from '../contract/fuzz/bounds.ts'
import { randomOf } from '../contract/fuzz/random.ts'
import type { Operation } from '../contract/operations.ts'
import { withField } from '../contract/references.ts'
import { type Request, requestsIn, send } from '../contract/requests.ts'
import { startContract } from '../contract/world.ts'
import { type TextField, textFields, worstTexts } from './worst.ts'

/** Number of worst texts for each text of a form that was already tested with all of them. */
const TRIES = 3
/** The target is 100 ms on an idle machine; this machine is shared. */
const MAX_BUSY_MS = 1000
const MAX_GROWTH_MB = 100
const MAX_TOLD = 30
/** Close to the maximum length of bodies. Such texts are mostly rejected unread, so few of the worst suffice. */
const BODY_LENGTHS = [14_000, 1_000_000]
const FEW = ['spaces within', 'opened elements', 'placeholders']

const world = await startContract()

/** Returns the process's peak memory in megabytes. */
const peak = () => process.resourceUsage().maxRSS / 1024

/** Previews render on each call, and their texts are those of the form, which is tested with all. */
const draws = ({ path }: Operation) => path.endsWith('/preview')

interface Case {
  operation: Operation
  place: TextField
}
const cases: Case[] = world.operations.flatMap((operation) => textFields(operation).map((place) => ({ operation, place })))

async function tryText(request: Request, { operation, place }: Case, name: string, text: string): Promise<string[]> {
  const before = peak()
  const { ms, result } = await busyIn(() => send(world, withField(request, place.field, text)))
  const grown = peak() - before
  const about = `${operation.at} ${place.field}: ${text.length} × ${name}`
  const wrong: string[] = []
  if (ms > MAX_BUSY_MS) wrong.push(`${about}: busy for ${Math.round(ms)} ms`)
  if (grown > MAX_GROWTH_MB) wrong.push(`${about}: ${Math.round(grown)} MB more`)
  const isPage = String(result.headers['content-type']).startsWith('text/html')
  const isRefusal = result.status >= 400 && result.status < 500 && (result.status !== 422 || isPage || result.body?.errors)
  // An external server in a text is unreachable (502); queued work returns 503.
  if (!isRefusal && result.status >= 300 && ![502, 503].includes(result.status)) wrong.push(`${about}: a ${result.status}`)
  return wrong
}

it(`no text holds the service up (${cases.length} texts)`, async (t) => {
  const firm = await world.workspace()
  await fillDemo(world.services, firm.id, { records: 3, seed: 1 })
  let requests = requestsIn(world, firm)
  const wrong: string[] = []
  let sent = 0
  for (const one of cases) {
    const { operation, place } = one
    const make = () => requests.requestOf(operation, { reuse: true })
    const request = await make().catch(() => {
      requests = requestsIn(world, firm) // earlier records are deleted or renamed by now
      return make().catch((error: Error) => void t.diagnostic(`${operation.at} was not tried: ${error.message.slice(0, 200)}`))
    })
    if (!request) continue
    await world.sql('DELETE FROM rate_limits')
    const texts = [
      ...Object.entries(worstTexts(place.maxLength)),
      ...BODY_LENGTHS.flatMap((length) => Object.entries(worstTexts(length)).filter(([name]) => FEW.includes(name))),
    ]
    const random = randomOf(2, `${operation.at} ${place.field}`)
    const some = !draws(operation) ? texts : texts.filter(() => random.chance(TRIES / texts.length))
    for (const [name, text] of some) {
      wrong.push(...(await tryText(request, one, name, text)))
      sent++
    }
    if (wrong.length > MAX_TOLD) break
  }
  t.diagnostic(`${sent} requests`)
  const { status } = await firm.owner.get('/me')
  assert.equal(status, 200)
  assert.deepEqual(wrong.slice(0, MAX_TOLD), [])
})
