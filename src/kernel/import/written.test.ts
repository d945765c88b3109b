import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dayWritten, numberWritten } from './written.ts'

it('numbers are read with either decimal sign, where that leaves no doubt', () => {
  const read = {
    '1249.5': '1249.5',
    '1249,5': '1249.5',
    '-12,50': '-12.50',
    '0,125': '0.125',
    '1234,567': '1234.567',
    '1.249,50': '1249.50',
    '1,249.50': '1249.50',
    '12.500,5': '12500.5',
    '1.500.000': '1500000',
    '1,500,000.25': '1500000.25',
    '1 249,50': '1249.50',
    '1\u202f249\u202f000,5': '1249000.5',
    CHF: 'CHF',
    '1’249.50': '1249.50',
  }
  for (const [text, number] of Object.entries(read)) assert.equal(numberWritten(text), number, text)
  for (const text of [
    '1,234',
    '1.234',
    '-12,500',
    '1.2345,6',
    '1.249.50',
    '1,24,500.5',
    '1.234,5,6',
    '1.',
    ',5',
    '',
    '1 2',
    '12 34',
  ])
    assert.equal(numberWritten(text), text)
  const long = '1.'.repeat(50_000)
  assert.equal(numberWritten(long), long)
})

it('days with points begin with the day; other forms are left', () => {
  assert.equal(dayWritten('03.12.2026'), '2026-12-03')
  assert.equal(dayWritten('3.1.2026 14:30'), '2026-01-03 14:30')
  for (const text of ['2026-12-03', '03/12/2026', '3.12.26', '3.12.20260', '1.2', '']) assert.equal(dayWritten(text), text)
})
