// Own process: elsewhere the harness makes passwords cheap.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword, verifyAmong } from './passwords.ts'

test('a password costs whoever guesses it 19 MiB and two passes, and a name that nobody has as much', async () => {
  const hash = await hashPassword('correct horse battery')
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.deepEqual(await verifyAmong('correct horse battery', [null, hash], 2), [false, true])
})
