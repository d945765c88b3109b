import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as field from './fields.ts'

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, values: unknown[]) =>
  values.map((value) => schema.safeParse(value).success)

it('keeps decimals exact', () => {
  assert.equal(field.unitPrice().parse(0.1), '0.1')
  assert.equal(field.quantity().parse(1e-6), '0.000001')
  assert.deepEqual(accepts(field.quantity(), [0, -1, 1e-7, '1', Number.NaN, Number.POSITIVE_INFINITY, 999_999_999]), [
    false,
    false,
    false,
    false,
    false,
    false,
    true,
  ])
  assert.deepEqual(accepts(field.percentage(), [0, 100, 100.0001, 7.12345]), [true, true, false, false])
})

it('says the bounds of whole numbers, also to one that is whole', () => {
  for (const value of [-1, 721, 1e20, 1.5, '7']) {
    const { issues } = field.wholeNumber(0, 720).safeParse(value).error!
    assert.deepEqual([...new Set(issues.map(({ message }) => message))], ['Must be a whole number from 0 to 720.'], `${value}`)
  }
  assert.deepEqual(accepts(field.wholeNumber(0, 720), [0, 720]), [true, true])
})

it('knows real dates only', () => {
  assert.deepEqual(
    accepts(field.date(), ['2024-02-29', '2023-02-29', '2026-13-01', '26-01-01', '2026-01-01T00:00:00Z', '0000-01-01', 20260101]),
    [true, false, false, false, false, false, false],
  )
})

it('normalises addresses, and blank texts to null', () => {
  assert.equal(field.email().parse('  Ada@Example.TEST '), 'ada@example.test')
  assert.deepEqual(accepts(field.email(), ['ada', 'a@b', 'a b@c.test', '']), [false, false, false, false])
  assert.equal(field.optionalText().parse('  '), null)
  assert.deepEqual(
    [' ', null, undefined, ' Ada@Example.TEST'].map((value) => field.optionalEmail().parse(value)),
    [null, null, undefined, 'ada@example.test'],
  )
  assert.deepEqual(accepts(field.optionalEmail(), ['ada', 'a b@c.test']), [false, false])
  assert.equal(field.text().parse(' x '), 'x')
})

it('writes currencies in capitals', () => {
  assert.equal(field.currency().parse('eur'), 'EUR')
  assert.deepEqual(accepts(field.currency(), ['XXZ', 'EURO', 'E', 7]), [false, false, false, false])
})

it('knows timezones by name', () => {
  assert.deepEqual(accepts(field.timezone(), ['Europe/Berlin', 'UTC', 'Mars/Base', '+02:00', '']), [
    true,
    true,
    false,
    false,
    false,
  ])
})
