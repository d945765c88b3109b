import assert from 'node:assert/strict'
import { it } from 'node:test'
import { inkOn, readableOn } from './contrast.ts'

it('a colour that can be read stays, another is moved until it can', () => {
  assert.equal(readableOn('#ffffff', '#AB12CD'), '#AB12CD')
  assert.equal(readableOn('#ffffff', '#f2c200'), '#856b00')
  assert.equal(readableOn('#171c23', '#1f4f82'), '#6d8dae')
  assert.equal(readableOn('#ffffff', '#ffffff'), '#737373')
})

it('what is written on a colour is black or white', () => {
  assert.deepEqual(['#f2c200', '#1f4f82', '#777777', '#000000'].map(inkOn), ['#000000', '#ffffff', '#000000', '#ffffff'])
})
