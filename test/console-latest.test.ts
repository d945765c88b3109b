/** Bounded cache of the console's page, such as of record names. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { latest, touch } from '../src/console/client/screens/latest.ts'

it('keeps the newest names: only what was used longest ago is forgotten', () => {
  const known = new Map<number, string>([1, 2, 3].map((key) => [key, `Desk ${key}`]))
  touch(known, 1)
  touch(known, 9)
  const { kept, dropped } = latest(
    known,
    [
      [4, 'Desk 4'],
      [3, 'Chair'],
    ],
    3,
  )
  assert.deepEqual(
    [[...kept.entries()], dropped],
    [
      [
        [1, 'Desk 1'],
        [4, 'Desk 4'],
        [3, 'Chair'],
      ],
      [2],
    ],
  )
  assert.deepEqual(latest(kept, [], 3).dropped, [])
})

it('keeps the names that stand on the screen, however many there are', () => {
  const known = new Map<number, string>([1, 2, 3].map((key) => [key, `Desk ${key}`]))
  const inSight = new Set([1, 3, 4, 5])
  const { kept, dropped } = latest(
    known,
    [
      [4, 'Desk 4'],
      [5, 'Desk 5'],
    ],
    3,
    inSight,
  )
  assert.deepEqual([[...kept.keys()], dropped], [[1, 3, 4, 5], [2]])
  assert.deepEqual(latest(kept, [], 3, new Set([1, 5])).dropped, [3])
})
