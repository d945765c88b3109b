import assert from 'node:assert/strict'
import { it } from 'node:test'
import { written } from './written.ts'

it('an instant is written by its pattern, in the timezone and the language', () => {
  const at = '2026-03-09T23:05:07.000Z'
  for (const { pattern, timezone, locale, expected } of [
    { pattern: 'YYYY-MM-DD', timezone: 'UTC', locale: 'en', expected: '2026-03-09' },
    { pattern: 'DD.MM.YYYY', timezone: 'Europe/Berlin', locale: 'de', expected: '10.03.2026' },
    { pattern: 'D MMMM YYYY', timezone: 'UTC', locale: 'de', expected: '9 März 2026' },
    { pattern: 'MMM D, YY', timezone: 'America/Los_Angeles', locale: 'en', expected: 'Mar 9, 26' },
    { pattern: 'HH:mm:ss', timezone: 'Asia/Kolkata', locale: 'en', expected: '04:35:07' },
    { pattern: 'h:mm A', timezone: 'UTC', locale: 'en', expected: '11:05 PM' },
    { pattern: 'hh a', timezone: 'Asia/Kolkata', locale: 'en', expected: '04 am' },
    { pattern: '[Day] D [of] M', timezone: 'UTC', locale: 'en', expected: 'Day 9 of 3' },
    { pattern: '', timezone: 'UTC', locale: 'en', expected: '' },
    { pattern: '$& \\ %s', timezone: 'UTC', locale: 'en', expected: '$& \\ %s' },
  ] as const)
    assert.equal(written(at, { pattern, timezone, locale }), expected)
})
