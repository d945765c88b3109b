import assert from 'node:assert/strict'
import { it } from 'node:test'
import { xsBoolean, xsDate, xsDateTime, xsDay, xsDecimal } from './xml-schema-types.ts'

it('xs:decimal is read exactly, with leading zeros, signs, and without a digit on one side of the point', () => {
  const values: [string, string][] = [
    ['000000000000149.87', '149.87'],
    ['10.00000', '10'],
    ['.50', '0.5'],
    ['+5.00', '5'],
    ['5.', '5'],
    ['-0007.10', '-7.1'],
    ['-0.00', '0'],
    ['0', '0'],
    [' \n12.5\t', '12.5'],
    ['123456789012345678', '123456789012345678'],
    ['0.123456789012345678', '0.123456789012345678'],
    ['0000000000000000000000000000001', '1'],
  ]
  for (const [text, value] of values) assert.equal(xsDecimal(text)?.toFixed(), value, text)
  const none = [
    '',
    ' ',
    '.',
    '+',
    '-.',
    '1,00',
    '1e3',
    '--1',
    '1 000',
    '0x1',
    'NaN',
    'INF',
    '٣',
    '1234567890123456789',
    '0'.repeat(101),
  ]
  for (const text of [undefined, ...none]) assert.equal(xsDecimal(text), undefined, String(text))
})

it('xs:decimal keeps the digits that its facets allow and refuses more', () => {
  const read = (text: string) => xsDecimal(text, { totalDigits: 18, fractionDigits: 5 })?.toFixed()
  assert.equal(read('5442.09000'), '5442.09')
  assert.equal(read('0.12345'), '0.12345')
  assert.equal(read('1.123450000'), '1.12345')
  assert.equal(read('1.123456'), undefined)
  assert.equal(read('12345678901234.12345'), undefined)
})

it('xs:boolean has four spellings', () => {
  for (const text of ['true', '1', ' 1 ']) assert.equal(xsBoolean(text), true, text)
  for (const text of ['false', '0', '\n0']) assert.equal(xsBoolean(text), false, text)
  for (const text of [undefined, '', 'TRUE', 'yes', '01', '2', 'Indicator'])
    assert.equal(xsBoolean(text), undefined, String(text))
})

it('xs:date is a day that exists, with a zone or without', () => {
  for (const text of ['2026-11-19', '2026-11-19Z', '2026-11-19+01:00', '2026-11-19-14:00', ' 2026-11-19 '])
    assert.equal(xsDate(text), '2026-11-19', text)
  const none = [
    '',
    '2026-02-30',
    '0000-01-01',
    '20261119',
    '2026-11-19T00:00:00',
    '2026-11-19+15:00',
    '2026-11-19+1:00',
    '19.11.2026',
  ]
  for (const text of [undefined, ...none]) assert.equal(xsDate(text), undefined, String(text))
  assert.equal(xsDate('2024-02-29'), '2024-02-29')
})

it('xs:dateTime keeps the clock of its writer and names the moment where there is a zone', () => {
  assert.deepEqual(xsDateTime('2026-11-19T23:30:00.1234567-05:00'), {
    date: '2026-11-19',
    time: '23:30:00',
    zone: '-05:00',
    instant: '2026-11-20T04:30:00.123Z',
  })
  assert.deepEqual(xsDateTime('2026-11-19T06:00:00'), { date: '2026-11-19', time: '06:00:00', zone: null, instant: null })
  assert.deepEqual(xsDateTime('2026-12-31T24:00:00Z'), {
    date: '2027-01-01',
    time: '00:00:00',
    zone: 'Z',
    instant: '2027-01-01T00:00:00.000Z',
  })
  const none = [
    '',
    '2026-11-19',
    '2026-11-19T24:00:01',
    '2026-11-19T25:00:00',
    '2026-11-19 06:00:00',
    '2026-11-19T06:00',
    '2026-02-30T06:00:00Z',
  ]
  for (const text of [undefined, ...none, '9999-12-31T24:00:00']) assert.equal(xsDateTime(text), undefined, String(text))
})

it('the day of a date or a date with time is the writer’s', () => {
  assert.equal(xsDay('2026-11-19T23:30:00-05:00'), '2026-11-19')
  assert.equal(xsDay('2026-11-19Z'), '2026-11-19')
  assert.equal(xsDay('2026-11-19T24:00:00'), '2026-11-19')
  assert.equal(xsDay('yesterday'), undefined)
})
