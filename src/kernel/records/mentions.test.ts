import assert from 'node:assert/strict'
import { it } from 'node:test'
import { mentionsIn } from './mentions.ts'

it('finds whom a text mentions, each once', () => {
  assert.deepEqual(mentionsIn('@[Ann](7), please ask @[Bob B.](12) or @[Ann](7).'), [7, 12])
  for (const text of ['@Ann', '@[Ann]', '@[](3)', '@[Ann](x)', '@[Ann] (3)', '[Ann](3)', '@[An\nn](3)'])
    assert.deepEqual(mentionsIn(text), [], text)
})

it('tells at most fifty', () => {
  assert.equal(mentionsIn(Array.from({ length: 80 }, (_, n) => `@[U](${n + 1})`).join(' ')).length, 50)
})
