import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { HttpError } from '../errors.ts'
import { machine } from './machine.ts'

const door = () =>
  machine('door', {
    states: ['open', 'closed', 'locked'],
    initial: 'open',
    moves: { close: { from: ['open'], to: 'closed' }, lock: { from: ['closed'], to: 'locked' } },
  })

it('leads where its moves lead', () => {
  assert.equal(door().check('close', 'open'), 'closed')
  assert.equal(door().check('lock', 'closed'), 'locked')
})

it('refuses other moves on status, naming what is possible', () => {
  assert.throws(
    () => door().check('lock', 'open'),
    (error: HttpError) => error.status === 422 && /Possible now: close/.test(error.errors!.status![0]!),
  )
  assert.throws(() => door().check('close', 'locked'), /Nothing can follow/)
})

it('is checked when it is loaded', () => {
  assert.throws(() => machine('door', { states: ['open', 'stuck'], initial: 'open', moves: {} }), /no move leads to stuck/)
  const nowhere = { close: { from: ['open'], to: 'shut' } }
  assert.throws(() => machine('door', { states: ['open'], initial: 'open', moves: nowhere as never }), /unknown state shut/)
})
