import assert from 'node:assert/strict'
import { it } from 'node:test'
import { decimal, formatAmount, formatQuantity, formatUnitPrice, isCurrency, minorUnits, roundTo } from './money.ts'

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
