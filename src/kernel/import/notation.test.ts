import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isoDay, NotationEvidence, PLAIN, plainNumber } from './notation.ts'

describe('a day in a text', () => {
  it('begins with the day where it has points, and with the year where that comes first', () => {
    assert.equal(isoDay('03.12.2026'), '2026-12-03')
    assert.equal(isoDay('3.1.2026 14:30'), '2026-01-03 14:30')
    assert.equal(isoDay('2026/12/3'), '2026-12-03')
    for (const text of ['2026-12-03', '03/12/2026', '3.12.26', '3.12.20260', '1.2', '']) assert.equal(isoDay(text), text)
  })

  it('is read in the order of its file', () => {
    assert.equal(isoDay('03/12/2026', 'dmy'), '2026-12-03')
    assert.equal(isoDay('03/12/2026', 'mdy'), '2026-03-12')
    assert.equal(isoDay('12-3-2026 9:00', 'mdy'), '2026-12-03 9:00')
    assert.equal(isoDay('2026.12.03', 'dmy'), '2026-12-03')
    assert.equal(isoDay('03.12.2026', 'mdy'), '2026-12-03')
    assert.equal(isoDay('03/12/26', 'mdy'), '03/12/26')
  })
})

describe('a number in a text', () => {
  it('is read by its signs, and is no number where they don’t fit', () => {
    const comma = { ...PLAIN, decimal_sign: ',', group_sign: '.' } as const
    const cases: [string, typeof PLAIN, string | undefined][] = [
      ['1249.50', PLAIN, '1249.50'],
      ['1,234', PLAIN, undefined],
      ['1.249,50', comma, '1249.50'],
      ['-1.249', comma, '-1249'],
      ['12.5', comma, undefined],
      ['1.23.456', comma, undefined],
      ['1\u202f249,5', { ...comma, group_sign: ' ' }, '1249.5'],
      ["1'249.50", { ...PLAIN, group_sign: "'" }, '1249.50'],
      ['1,249.50', { ...PLAIN, group_sign: ',' }, '1249.50'],
      ['1e3', PLAIN, '1e3'],
      ['', PLAIN, undefined],
    ]
    for (const [text, notation, expected] of cases) assert.equal(plainNumber(text, notation), expected, text)
  })
})

describe('the notation of a file', () => {
  const proposed = (...rows: string[][]) => {
    const evidence = new NotationEvidence()
    for (const cells of rows) evidence.observe({ cells })
    return evidence.proposal()
  }

  it('is proposed from what can be read in one way only', () => {
    assert.deepEqual(proposed(['a', '1.234'], ['b', '12,50']), { decimal_sign: ',', group_sign: '.', day_order: null })
    assert.deepEqual(proposed(['1 234,50 €', '13/02/2026']), { decimal_sign: ',', group_sign: ' ', day_order: 'dmy' })
    assert.deepEqual(proposed(['$1,234.50', '02/13/2026']), { decimal_sign: '.', group_sign: ',', day_order: 'mdy' })
    assert.deepEqual(proposed(['1.234', '02/03/2026']), PLAIN)
    assert.equal(proposed(['12,50'], ['1,5'], ['-'], ['2,5']).decimal_sign, ',')
  })

  it('is the plain one where columns contradict each other, or a column has other texts', () => {
    assert.deepEqual(proposed(['12,50', '1.5', '13/02/2026', '02/13/2026']), PLAIN)
    assert.deepEqual(proposed(['12,50'], ['12.50']), PLAIN)
    assert.deepEqual(proposed(['12,50'], ['see page 3']), PLAIN)
    assert.deepEqual(proposed(['5.13.2026'], ['3.12.2026']), PLAIN)
  })
})
