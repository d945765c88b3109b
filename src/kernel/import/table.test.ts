import assert from 'node:assert/strict'
import { it } from 'node:test'
import { tableOf } from './table.ts'

it('closes the file whose header is refused', async () => {
  let isOpen = true
  async function* rows() {
    try {
      yield { n: 1, cells: ['x'.repeat(300)] }
      yield { n: 2, cells: ['a'] }
    } finally {
      isOpen = false
    }
  }
  await assert.rejects(tableOf(rows(), { cell: 1000, batch: 100 } as never), { status: 422 })
  assert.equal(isOpen, false)
})
