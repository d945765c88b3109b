import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dayWritten } from './written.ts'

it('days with points begin with the day; other forms are left', () => {
  assert.equal(dayWritten('03.12.2026'), '2026-12-03')
  assert.equal(dayWritten('3.1.2026 14:30'), '2026-01-03 14:30')
  for (const text of ['2026-12-03', '03/12/2026', '3.12.26', '3.12.20260', '1.2', '']) assert.equal(dayWritten(text), text)
})
