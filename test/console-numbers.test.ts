/** Numbers typed into the console's inputs, and formatted by them. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { decimalSignOf, readNumber, writeNumber } from '../src/console/client/screens/numbers.ts'

const reads = (sign: '.' | ',', all: Record<string, string | undefined>) =>
  assert.deepEqual(Object.fromEntries(Object.keys(all).map((text) => [text, readNumber(text, sign)])), all)

it('follows how the language writes numbers, and its region where that differs', () => {
  assert.deepEqual(['de', 'de-AT', 'de-CH', 'en', 'en-US', 'en-GB'].map(decimalSignOf), [',', ',', '.', '.', '.', '.'])
})

it('reads German: a comma before the decimals, points between thousands', () => {
  reads(',', {
    '1.249,50': '1249.50',
    '1249,5': '1249.5',
    '1.500': '1500',
    '12.500': '12500',
    '1.500.000': '1500000',
    '-1.249,50': '-1249.50',
    ',5': '0.5',
    ' 7 ': '7',
    '0,125': '0.125',
  })
  // Input in the notation of other languages.
  reads(',', {
    '12.5': '12.5',
    '1249.50': '1249.50',
    '0.125': '0.125',
    '-0.125': '-0.125',
    '.5': '0.5',
    '1.5000': '1.5000',
    '1234.567': '1234.567',
    '1’249.50': '1249.50',
  })
  reads(',', { '1,249.50': undefined, '1.24.50': undefined, '1.500.00': undefined, '1,2,3': undefined, '12,': undefined })
})

it('reads English: a point before the decimals, commas between thousands', () => {
  reads('.', {
    '1,249.50': '1249.50',
    '1,500': '1500',
    '1249.5': '1249.5',
    '1.500': '1.500',
    '1,500,000': '1500000',
    '-1,500.25': '-1500.25',
    '.5': '0.5',
  })
  reads('.', { '12,5': undefined, '0,125': undefined, '1.249,50': undefined, '1,24.50': undefined, '1500,000': undefined })
})

it('reads spaces and apostrophes between groups of three in both, one kind at a time', () => {
  for (const sign of ['.', ','] as const) {
    for (const between of [' ', '\u00a0', '\u202f', "'", '’']) {
      reads(sign, { [`1${between}249${between}500${sign}50`]: '1249500.50', [`1${between}24`]: undefined })
    }
    reads(sign, { "1 249'500": undefined, '1  500': undefined, '': undefined, ' ': undefined, '-': undefined })
    reads(sign, { many: undefined, '1e3': undefined, '0x10': undefined, Infinity: undefined, '5 €': undefined, '--5': undefined })
  }
})

it('shows what it reads back as the same number, with as many places as there are, none lost', () => {
  const values = ['0', '1249.50', 1249.5, '-1.500', '1500', '0.125', '123456789012345678.123456', '12.000']
  assert.deepEqual(
    values.map((value) => writeNumber(value, ',')),
    ['0', '1249,50', '1249,5', '-1,500', '1500', '0,125', '123456789012345678,123456', '12,000'],
  )
  for (const sign of ['.', ','] as const)
    for (const value of values) assert.equal(readNumber(writeNumber(value, sign), sign), String(value))
})

it('shows what isn’t a number as it was typed', () => {
  for (const text of ['many', '1.2.3', '1,249.50', '12,']) assert.equal(writeNumber(text, ','), text)
})
