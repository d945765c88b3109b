import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  amountTyped,
  decimal,
  formatAmount,
  formatQuantity,
  formatUnitPrice,
  isCurrency,
  minorUnits,
  roundTo,
  withCurrency,
} from './money.ts'

it('knows the minor units of ISO 4217', () => {
  assert.deepEqual(['JPY', 'USD', 'KWD', 'CLF', 'IQD'].map(minorUnits), [0, 2, 3, 4, 3])
  assert.deepEqual(['EUR', 'XXZ', ''].map(isCurrency), [true, false, false])
})

it('rounds half away from zero', () => {
  const rounded = (value: string, currency = 'USD') => roundTo(currency, decimal(value)).toFixed()
  assert.deepEqual(
    [rounded('1.005'), rounded('-1.005'), rounded('2.675'), rounded('0.5', 'JPY'), rounded('1.0049999')],
    ['1.01', '-1.01', '2.68', '1', '1'],
  )
})

it('writes exact amounts for people, however large', () => {
  assert.equal(formatAmount('9007199254740.99', 'USD'), '9,007,199,254,740.99')
  assert.equal(formatAmount('1234.5', 'EUR', 'de'), '1.234,50')
  assert.equal(formatAmount('1234', 'JPY'), '1,234')
  assert.equal(formatQuantity('2.500000'), '2.5')
  assert.deepEqual(
    [formatUnitPrice('499.9', 'EUR'), formatUnitPrice('1.23450', 'EUR'), formatUnitPrice(7, 'JPY')],
    ['499.90', '1.2345', '7'],
  )
})

it('reads amounts as people of a language type them', () => {
  const read: [string, string, string | undefined][] = [
    ['1.000', 'de', '1000'],
    ['1.000,00', 'de', '1000.00'],
    ['1 000,5', 'de', '1000.5'],
    ['50.00', 'de', '50.00'],
    ['100,00', 'de', '100.00'],
    ['1,000', 'en', '1000'],
    ['1,000.00', 'en', '1000.00'],
    ['1.234', 'en', '1.234'],
    ['12,5', 'en', '12.5'],
    ['1\u202f000,00', 'fr', '1000.00'],
    ['1’000.00', 'de-CH', '1000.00'],
    ['١٬٠٠٠٫٥٠', 'ar-EG', '1000.50'],
    ...['', '-1', '1.0.0', '1,00,000', '10.00,00', '1e3', 'all', '.', ',5', '1'.repeat(31)].map(
      (text): [string, string, undefined] => [text, 'de', undefined],
    ),
  ]
  for (const [text, locale, amount] of read) assert.equal(amountTyped(text, locale), amount, `${text} in ${locale}`)
  for (const locale of ['en', 'de', 'fr', 'nl', 'es', 'it', 'pt', 'pl', 'ar', 'he'])
    assert.equal(amountTyped(formatAmount('1234567.5', 'EUR', locale), locale), '1234567.50', locale)
})

it('puts the currency where a language has it', () => {
  const put = (locale: string) => withCurrency('1,00', 'EUR', locale)
  assert.deepEqual(['en', 'de', 'fr', 'nl'].map(put), ['EUR 1,00', '1,00 EUR', '1,00 EUR', 'EUR 1,00'])
})
