/**
 * The wall between workspaces, asked of every operation that the API documents name: a new route is covered on the day it appears, and fails
 * here while no valid request can be made for it (test/contract/rules says what its schemas don't).
 *
 * Beta does everything that can be done, and nothing of Alpha changes. Then Alpha's people do what they can with Beta's ids and with sessions
 * that don't hold: nothing of Beta changes, and nothing that Alpha is told comes from Beta.
 */
// Also in CI: citus, debian
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { fillDemo } from '#kernel/demo/parts.ts'
import { isForAgents, sendAsAgent } from './contract/agents.ts'
import { type Listening, listenAs } from './contract/listening.ts'
import { changedIn, fingerprintOf, plantMarks } from './contract/marks.ts'
import type { Operation } from './contract/operations.ts'
import { NOTHING, nameOf, queryReferences, type Reference, referencesIn, withField } from './contract/references.ts'
import { type Request, requestsIn, send } from './contract/requests.ts'
import { strangers } from './contract/strangers.ts'
import { startContract } from './contract/world.ts'
import type { Reply } from './harness.ts'
import { isOneIn } from './sampling.ts'

const world = await startContract()
const operations = world.operations.filter(world.isSampled)
const [alpha, beta] = [await world.workspace({ name: 'Alpha' }), await world.workspace({ name: 'Betelgeuse' })]
for (const [seed, { id }] of [alpha, beta].entries()) await fillDemo(world.services, id, { records: 5, seed })
const [ofAlpha, ofBeta] = [requestsIn(world, alpha), requestsIn(world, beta)]
const ofWorkspace = operations.filter(({ api, path }) => api === 'workspace' && path.startsWith('/api/tenant/v1/'))
const behindSession = operations.filter(({ security }) => security.some(({ type }) => type === 'http'))
const forgetLimits = () => world.sql('DELETE FROM rate_limits')

/** Named by what isn't ours alone to give: whoever asks for another's name means their own, or what everybody has. */
const isNamedFreely = ({ path }: Operation) => /\{(external_id|language)\}|\/console\/screens\//.test(path)
/** Signing in and one's own account. */
const isOwn = ({ path }: Operation) => /^\/api\/\w+\/v1\/(me|auth)(\/|$)/.test(path)

/** An agent, who comes in by the same door as a session, tries one in so many of the operations, others each day. */
const AGENT_SHARE = 5

/** A valid request as Alpha's owner, made once. */
const requestAsOwner = async (operation: Operation): Promise<Request> => ({
  ...(await ofAlpha.requestOf(operation, { reuse: true })),
  token: alpha.owner.token,
})

/** What somebody asks whose session is looked at first: in Alpha's business what would go well, else anything. */
const requestOfStranger = async (operation: Operation): Promise<Request> => {
  if (operation.api === 'workspace' && !isOwn(operation)) return requestAsOwner(operation)
  const params = Object.fromEntries([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, 1]))
  return { operation, params, query: {}, headers: {}, ...(operation.bodies['application/json'] ? { body: {} } : {}) }
}

/** What Alpha's owner is told by every operation that only reads: without what differs from one request to the next. */
async function toldToAlpha() {
  const told = new Map<string, Reply>()
  for (const operation of ofWorkspace.filter((one) => one.method === 'GET' && one.security.length && !isOwn(one))) {
    told.set(operation.at, await send(world, await requestAsOwner(operation)))
  }
  return told
}

/** What a reply says: JSON, or a file to its last byte. */
const contentOf = ({ body, raw }: Reply): unknown => body ?? raw

let marks: string[]
/** Nothing of Beta's stands in a reply to somebody of Alpha. */
function tellsNothing({ raw, headers }: Reply, about: string) {
  const text = raw.toString('latin1') + JSON.stringify(headers)
  const found = marks.filter((mark) => text.includes(mark))
  assert.deepEqual(found, [], `${about}: ${text.slice(0, 300)}`)
}

describe('what happens in Beta', () => {
  let alphaWas: Map<string, string>
  let told: Map<string, Reply>
  let listening: Listening
  before(async () => {
    await world.app.listen({ port: 0, host: '127.0.0.1' })
    for (const operation of ofWorkspace) if (!isOwn(operation)) await ofAlpha.requestOf(operation, { reuse: true })
    await world.drain() // what was issued is drawn
    told = await toldToAlpha()
    await world.drain()
    listening = await listenAs(world, alpha.owner, alpha)
    alphaWas = await fingerprintOf(world, alpha.id)
  })

  for (const operation of operations)
    it(`${operation.at} is done`, async () => {
      const request = await ofBeta.requestOf(operation)
      await forgetLimits()
      const reply = await send(world, request)
      const done = Object.keys(operation.responses).filter((status) => /^[23]/.test(status))
      assert.ok(
        done.includes(String(reply.status)),
        `${reply.status} ${JSON.stringify(request.body)}: ${reply.raw.toString().slice(0, 600)}
If the reply is right, say under ${operation.id} in test/contract/rules what a valid request has beyond its schema: a field, a state, what comes first.`,
      )
    })

  it('is told to nobody of Alpha as it happens', async () => {
    await world.drain()
    assert.deepEqual(listening.events, [])
    listening.stop()
  })

  it('changes nothing in Alpha', async () => {
    assert.deepEqual(changedIn(alphaWas, await fingerprintOf(world, alpha.id)), [])
  })

  it('changes nothing that Alpha is told', async () => {
    const now = await toldToAlpha()
    // The one says a new state each time, the other what time it is.
    const others = [...told].filter(
      ([at, reply]) =>
        !/(oauth\/redirect|attendance-records\/day)$/.test(at) && !isDeepStrictEqual(contentOf(now.get(at)!), contentOf(reply)),
    )
    assert.deepEqual(
      others.map(([at, reply]) => [at, reply.raw.toString().slice(0, 1500), now.get(at)!.raw.toString().slice(0, 1500)]),
      [],
    )
  })
})

describe('of Beta', () => {
  let betaWas: Map<string, string>
  /** Alpha's owner, and an operator who works in Alpha in somebody's name. */
  let tokens: string[]
  before(async () => {
    for (const operation of ofWorkspace) {
      if (/\{/.test(operation.path) && !isOwn(operation)) await ofBeta.requestOf(operation, { reuse: true })
      for (const reference of [...referencesIn(operation), ...queryReferences(operation)]) await nameOf(reference, ofBeta)
    }
    const { target_token } = await ofAlpha.perform('impersonateTenant', { at: { params: { id: alpha.id }, record: {} } })
    tokens = [alpha.owner.token, target_token]
    await world.drain()
    marks = await plantMarks(world, beta)
    betaWas = await fingerprintOf(world, beta.id)
  })

  const ask = async (request: Request, about: string, token = alpha.owner.token) => {
    await forgetLimits()
    const reply = await send(world, { ...request, token })
    tellsNothing(reply, `${request.operation.at} ${about}`)
    return reply
  }

  for (const operation of behindSession.filter(({ api }) => api === 'workspace')) {
    const { at, path } = operation
    if (/\{/.test(path) && !isOwn(operation) && !isNamedFreely(operation))
      it(`${at} finds nothing for Alpha`, async () => {
        const request = await ofBeta.requestOf(operation, { reuse: true })
        for (const token of tokens) {
          const reply = await ask(request, 'with the ids of Beta', token)
          assert.deepEqual([reply.status, reply.body?.code], [404, 'NOT_FOUND'], reply.raw.toString().slice(0, 300))
        }
      })

    if (/\{/.test(path) && !isOwn(operation) && !isNamedFreely(operation) && isForAgents(operation) && isOneIn(AGENT_SHARE, at))
      it(`${at} finds nothing for an agent of Alpha`, async () => {
        await forgetLimits()
        const reply = await sendAsAgent(world, {
          ...(await ofBeta.requestOf(operation, { reuse: true })),
          token: alpha.owner.token,
        })
        if (!reply) return
        tellsNothing(reply, `${at} by an agent`)
        // What an agent may never change is refused before anything is looked for.
        const isRefused = reply.status === 403 && reply.body.code === 'AGENT_NOT_ALLOWED'
        const isNotFound = reply.status === 404 && reply.body.code === 'NOT_FOUND'
        assert.ok(isRefused || isNotFound, reply.raw.toString().slice(0, 300))
      })

    const references = referencesIn(operation)
    if (references.length)
      it(`${at} takes no record for Alpha`, async () => {
        const request = await requestAsOwner(operation)
        for (const reference of references) {
          const { field } = reference
          const reply = await ask(withField(request, field, await nameOf(reference, ofBeta)), `${field} of Beta`)
          assert.deepEqual(
            [reply.status, reply.body?.code],
            [422, 'VALIDATION_FAILED'],
            `${field}: ${reply.raw.toString().slice(0, 300)}`,
          )
        }
      })

    const filters = queryReferences(operation)
    if (filters.length)
      it(`${at} finds nothing by a record for Alpha`, async () => {
        const request = await requestAsOwner(operation)
        const by = async (filter: Reference, value: unknown) =>
          ask({ ...request, query: { ...request.query, [filter.field]: String(value) } }, `${filter.field} of Beta`)
        for (const filter of filters) {
          const [ofTheirs, ofNothing] = [await by(filter, await nameOf(filter, ofBeta)), await by(filter, NOTHING[filter.by])]
          assert.equal(ofTheirs.status, 200, filter.field)
          assert.deepEqual(contentOf(ofTheirs), contentOf(ofNothing), `${filter.field}: as if there were none`)
        }
      })
  }

  it('everything would be known by its marks', async () => {
    const lists = ofWorkspace.filter((one) => one.method === 'GET' && one.parameters.some(({ name }) => name === 'page'))
    const unmarked = []
    for (const operation of lists.filter(({ path }) => !/\{/.test(path))) {
      const { raw } = await send(world, { operation, params: {}, query: {}, headers: {}, token: beta.owner.token })
      if (!marks.some((mark) => raw.includes(mark))) unmarked.push(operation.at)
    }
    const numbersAlone = 'GET /api/tenant/v1/inventory/stock/movements'
    assert.deepEqual(
      unmarked.filter((at) => at !== numbersAlone),
      [],
    )
  })

  it('nothing is told to Alpha', async () => {
    for (const [at, reply] of await toldToAlpha()) tellsNothing(reply, at)
  })

  it('nothing has changed', async () => {
    assert.deepEqual(changedIn(betaWas, await fingerprintOf(world, beta.id)), [])
  })
})

describe('a session that does not hold', async () => {
  for (const stranger of await strangers(world, alpha))
    it(`opens nothing: ${stranger.who}`, async () => {
      for (const operation of behindSession.filter(stranger.meets)) {
        const reply = await send(world, { ...(await requestOfStranger(operation)), token: stranger.token })
        const { status, code } = stranger.hears(operation)
        assert.deepEqual(
          [reply.status, reply.body?.code],
          [status, code],
          `${operation.at}: ${reply.raw.toString().slice(0, 300)}`,
        )
      }
    })
})
