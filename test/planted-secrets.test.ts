/** Verifies that planted secrets are detected. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { watchedLog } from './planted-secrets.ts'

const SECRET = 'pass "wörd" & more'

describe('a watched log', () => {
  const logged: { where: string; what: object | string }[] = [
    { where: 'in a message', what: `signing in with ${SECRET}` },
    { where: 'in a field', what: { deep: { typed: SECRET } } },
    { where: 'in an error', what: { err: new Error(`refused: ${SECRET}`, { cause: new Error('x') }) } },
    { where: 'in an address', what: { url: `/reset?secret=${encodeURIComponent(SECRET)}` } },
  ]
  for (const { where, what } of logged)
    it(`finds a secret ${where}, at the lowest level, planted before or after`, () => {
      for (const order of ['before', 'after']) {
        const { log, plant, check } = watchedLog()
        if (order === 'before') plant(SECRET)
        log.child({ reqId: 1 }).trace(what as object, 'told')
        if (order === 'after') plant(SECRET)
        assert.throws(check, /The log of .* holds secrets.\n.*"level":10/)
      }
    })

  it('finds nothing where nothing was logged, or where the log redacts it', () => {
    const { log, plant, check } = watchedLog()
    plant(SECRET)
    log.info({ login: { password: SECRET } }, 'signing in')
    log.trace({ busboyOptions: { headers: { authorization: `Bearer ${SECRET}` } } }, 'a form') // as @fastify/multipart does
    check()
  })

  it('refuses what would be found by chance', () => {
    assert.throws(() => watchedLog().plant('short'), /too short/)
  })
})
