/**
 * Fuzzing of every operation in the API documents with randomly invalid requests: never an internal error, never a reply that the
 * documents don't allow, and limited time and memory.
 *
 * By default a part of the operations, with a fixed seed. FUZZ_ROUNDS: all of them in this many rounds. FUZZ_SECONDS: repeatedly
 * for this time, with FUZZ_SEED or a random seed, which is printed. FUZZ_ONLY: operations that contain this part of `POST
 * /api/tenant/v1/vendors`; with the seed it reproduces a failure.
 */
// CI stage: fuzz
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { it } from 'node:test'
import { fillDemo } from '#kernel/demo/parts.ts'
import { fuzzingOf } from './contract/fuzz/fuzzing.ts'
import { randomOf } from './contract/fuzz/random.ts'
import { requestsIn } from './contract/requests.ts'
import { startContract } from './contract/world.ts'

const { FUZZ_SECONDS, FUZZ_ROUNDS, FUZZ_SEED, FUZZ_ONLY = '' } = process.env
const ROUNDS = Number(FUZZ_ROUNDS ?? (FUZZ_SECONDS ? Infinity : 1))
const long = (FUZZ_SECONDS ?? FUZZ_ROUNDS) !== undefined
const SEED = Number(FUZZ_SEED ?? (long ? randomInt(1_000_000) : 1))
/** Share of operations in a short run, and attacks on each. */
const SHARE = 0.1
const ATTACKS = long ? 12 : 6
const MAX_TOLD = 30

/** Operations without a valid request, with the reason. test/isolation.test.ts fails where none can be created at all. */
const skipped = new Map<string, string>()

const world = await startContract()
const fuzzing = await fuzzingOf(world)

/** Attacks each operation on records of a separate workspace. */
async function round(seed: number, until: number): Promise<string[]> {
  const firm = await world.workspace()
  await fillDemo(world.services, firm.id, { records: 5, seed })
  let requests = requestsIn(world, firm)
  const reuse = !long || seed % 2 === 0
  const wrong: string[] = []
  const chosen = world.operations.filter(({ at }) => at.includes(FUZZ_ONLY) && (long || randomOf(seed, `of ${at}`).chance(SHARE)))
  for (const operation of chosen) {
    if (Date.now() > until) break
    const request = await requests.requestOf(operation, { reuse }).catch(() => {
      requests = requestsIn(world, firm) // earlier records may be deleted or renamed by now
      return requests.requestOf(operation).catch((error) => void skipped.set(operation.at, error.message.slice(0, 300)))
    })
    if (!request) continue
    const found = seed === SEED ? await fuzzing.tryWords(request) : []
    found.push(...(await fuzzing.attack(request, seed, ATTACKS)))
    wrong.push(...found.map((one) => `FUZZ_SEED=${seed} FUZZ_ONLY='${operation.at}': ${one}`))
    const { status } = await firm.owner.get('/me')
    if (status !== 200) wrong.push(`FUZZ_SEED=${seed} FUZZ_ONLY='${operation.at}': afterwards /me is a ${status}`)
    if (status !== 200) break
  }
  return wrong
}

it(`nothing that is sent does harm (FUZZ_SEED=${SEED})`, async (t) => {
  const until = Date.now() + Number(FUZZ_SECONDS ?? Infinity) * 1000
  const wrong: string[] = []
  let seed = SEED
  do wrong.push(...(await round(seed++, until)))
  while (seed - SEED < ROUNDS && Date.now() < until && wrong.length < MAX_TOLD)
  t.diagnostic(`${seed - SEED} rounds; ${fuzzing.told()}`)
  for (const [at, why] of skipped) t.diagnostic(`${at} was not tried everywhere: ${why}`)
  assert.deepEqual([...wrong.slice(0, MAX_TOLD), ...fuzzing.remains()], [])
})
