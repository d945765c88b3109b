/**
 * Passwords: argon2id from Node's crypto, in the PHC string format. Hashing takes some hundredths of a second of CPU time, so it
 * runs outside transactions, with limited concurrency.
 */
import { argon2, randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { BaseCtx } from '../context.ts'
import { invalid } from '../errors.ts'
import { platformSetting } from '../modules/platform-settings.ts'
import { sameBytes } from '../secrets/secrets.ts'
import { semaphore } from '../semaphore.ts'

const derive = promisify(argon2)

/** OWASP's recommendation for argon2id: 19 MiB, two passes. Only tests change it, because they sign in a thousand times. */
export const passwordCost = { memory: 19456, passes: 2, parallelism: 1, tagLength: 32 }

/** One of the four threads of Node's pool stays free for file access and DNS, whatever the number of CPUs. */
const inTurn = semaphore({ atOnce: Math.min(availableParallelism(), 3), patience: 10_000 })

const MAX = 200
/** Schema of an existing password, which doesn't enforce the rules for new ones. */
export const GivenPassword = z.string().min(1, 'Must not be empty.').max(MAX, `Must have at most ${MAX} characters.`)
export const Password = z.string().min(8, 'Must have at least 8 characters.').max(MAX, `Must have at most ${MAX} characters.`)

/** Schema of a new password, typed twice. */
export const newPassword = { password: Password, password_confirmation: z.string().max(1000) }
/** Refinement: both passwords are equal. `mismatch` is its error. */
export const confirmed = (value: { password: string; password_confirmation: string }) =>
  value.password === value.password_confirmation
export const mismatch = { path: ['password_confirmation'], message: 'Must be the same as the password.' }

/** Throws 422 on `password`, or on `field`, if the password violates the platform's rules. */
export async function checkPasswordRules(ctx: BaseCtx, password: string, field = 'password') {
  const least = await platformSetting(ctx, 'password_min_length')
  if (password.length < least) throw invalid({ [field]: `Must have at least ${least} characters.` })
  if ((await platformSetting(ctx, 'password_require_special')) && !/[^\p{L}\p{N}]/u.test(password))
    throw invalid({ [field]: 'Must contain a character that is neither a letter nor a digit.' })
}

/** Hashes a password. Queued; throws 503 after ten seconds of waiting. Must not be called within a transaction. */
export const hashPassword = (password: string): Promise<string> =>
  inTurn(async () => {
    const nonce = randomBytes(16)
    const tag = await derive('argon2id', { message: password, nonce, ...passwordCost })
    return phc(nonce, tag)
  })

/** Whether a password is right. Queued as `hashPassword`. */
export const verifyPassword = async (password: string, hash: string | null): Promise<boolean> =>
  (await verifyAmong(password, [hash], 1))[0]!

/**
 * Returns which of these hashes match a password. Always does at least `work` verifications, with decoys for missing hashes, so
 * that the time reveals nothing.
 */
export const verifyAmong = (password: string, hashes: (string | null)[], work: number): Promise<boolean[]> =>
  inTurn(async () => {
    const fits: boolean[] = []
    for (let n = 0; n < Math.max(work, hashes.length); n++) fits.push(await fitsHash(password, hashes[n]))
    return fits.slice(0, hashes.length)
  })

/** Whether a stored hash has a lower cost than a new one would have. */
export function isCheap(hash: string): boolean {
  const [, memory, passes] = PHC.exec(hash) ?? []
  return Number(memory) * Number(passes) < passwordCost.memory * passwordCost.passes
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/

async function fitsHash(password: string, hash: string | null | undefined) {
  const [, memory, passes, parallelism, nonce, tag] = PHC.exec(hash ?? decoy()) ?? []
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

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
const phc = (nonce: Buffer, tag: Buffer) =>
  `$argon2id$v=19$m=${passwordCost.memory},t=${passwordCost.passes},p=${passwordCost.parallelism}$${unpadded(nonce)}$${unpadded(tag)}`
const decoy = () => phc(Buffer.alloc(16, 7), Buffer.alloc(32, 7))
