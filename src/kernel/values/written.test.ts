import assert from 'node:assert/strict'
import { it } from 'node:test'
import { written } from './written.ts'

it('an instant is written by its pattern, in the timezone and the language', () => {
  const at = '2026-03-09T23:05:07.000Z'
  for (const [pattern, timezone, locale, expected] of [
    ['YYYY-MM-DD', 'UTC', 'en', '2026-03-09'],
    ['DD.MM.YYYY', 'Europe/Berlin', 'de', '10.03.2026'],
    ['D MMMM YYYY', 'UTC', 'de', '9 März 2026'],
    ['MMM D, YY', 'America/Los_Angeles', 'en', 'Mar 9, 26'],
    ['HH:mm:ss', 'Asia/Kolkata', 'en', '04:35:07'],
    ['h:mm A', 'UTC', 'en', '11:05 PM'],
    ['hh a', 'Asia/Kolkata', 'en', '04 am'],
    ['[Day] D [of] M', 'UTC', 'en', 'Day 9 of 3'],
    ['', 'UTC', 'en', ''],
    ['$& \\ %s', 'UTC', 'en', '$& \\ %s'],
  ] as const)
    assert.equal(written(at, { pattern, timezone, locale }), expected)
})
