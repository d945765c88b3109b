/** Passwords: argon2id by Node's own crypto, in the PHC string format. */
import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { sameBytes } from '../secrets/secrets.ts'

const derive = promisify(argon2)

// OWASP's recommendation for argon2id: 19 MiB, two passes.
const cost = { memory: 19456, passes: 2, parallelism: 1, tagLength: 32 }

export async function hashPassword(password: string) {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', { message: password, nonce, ...cost })
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(nonce)}$${unpadded(tag)}`
}

/** Whether a password is right. Without a hash (unknown user) it takes as long and is false, so that time tells nothing. */
export async function verifyPassword(password: string, hash: string | null | undefined) {
  const [, memory, passes, parallelism, nonce, tag] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash ?? DECOY) ?? []
  const expected = Buffer.from(tag!, 'base64')
  const settings = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  }
  const actual = await derive('argon2id', { message: password, nonce: Buffer.from(nonce!, 'base64'), ...settings })
  return sameBytes(actual, expected) && Boolean(hash)
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
const DECOY = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(Buffer.alloc(16, 7))}$${unpadded(Buffer.alloc(32, 7))}`
