// Also in CI: debian
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { placedUuid, placeOfUuid } from './placed-uuids.ts'

it('a uuid says which workspace it is of, and looks like any other', () => {
  for (const id of [0, 1, 7, 4_294_967_296, 2 ** 48 - 1]) {
    const all = Array.from({ length: 100 }, () => placedUuid(id))
    for (const uuid of all) {
      assert.match(uuid, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
      assert.equal(placeOfUuid(uuid), id)
      assert.equal(placeOfUuid(uuid.toUpperCase()), id)
    }
    assert.equal(new Set(all.map((uuid) => uuid.slice(0, 8))).size, 100)
    assert.equal(new Set(all.map((uuid) => uuid.slice(-8))).size, 100)
  }
})
