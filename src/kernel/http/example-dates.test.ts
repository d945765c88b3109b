/** Dates in the API documents' examples keep their distance from today. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withExamplesAsOf } from './example-dates.ts'

describe('withExamplesAsOf', () => {
  it('moves the dates and instants of examples by the days that have passed', () => {
    const document = {
      schema: { format: 'date', description: 'Since 2026-11-20.', examples: ['2026-12-20', null] },
      parameter: { examples: { default: { value: '2026-11-20T09:30:00Z', 'x-disabled': true } } },
      listed: { examples: [[{ due_on: '2027-02-28', title: '2026-11-20 and later', count: 3 }]] },
    }
    assert.deepEqual(withExamplesAsOf(document, '2028-02-29'), {
      schema: { format: 'date', description: 'Since 2026-11-20.', examples: ['2028-03-30', null] },
      parameter: { examples: { default: { value: '2028-02-29T09:30:00Z', 'x-disabled': true } } },
      listed: { examples: [[{ due_on: '2028-06-08', title: '2026-11-20 and later', count: 3 }]] },
    })
  })

  it('leaves what is no example, and a property that is called `examples`', () => {
    const document = {
      enum: ['2026-11-20'],
      properties: { examples: { type: 'array', default: '2026-11-20' }, example: { const: '2026-11-20' } },
    }
    assert.deepEqual(withExamplesAsOf(document, '2030-01-01'), document)
  })
})
