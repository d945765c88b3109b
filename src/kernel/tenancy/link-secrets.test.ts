// Also in CI: debian
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { randomSecret } from '../secrets/secrets.ts'
import { placedSecret, placeOf } from './link-secrets.ts'

it('a secret says which workspace it is of, and looks like any other', () => {
  for (const id of [1, 7, 4_294_967_296, Number.MAX_SAFE_INTEGER]) {
    const all = Array.from({ length: 100 }, () => placedSecret(id))
    for (const secret of all) {
      assert.match(secret, /^[\w-]{43}$/)
      assert.equal(placeOf(secret), id)
    }
    assert.equal(new Set(all.map((secret) => secret.slice(0, 8))).size, 100)
    assert.equal(new Set(all.map((secret) => secret.slice(-8))).size, 100)
  }
})

it('what somebody else wrote names no workspace, or one whose links are compared with the whole of it', () => {
  for (const text of ['', 'x', '\0', 'ä'.repeat(43), 'A'.repeat(43), 'A'.repeat(10_000)]) assert.equal(placeOf(text), undefined)
  const named = Array.from({ length: 1000 }, randomSecret).filter((secret) => placeOf(secret) !== undefined)
  assert.ok(named.length < 20, String(named.length))
})
