/**
 * Passwords: argon2id by Node's own crypto, in the PHC string format. Hashing takes a processor for some hundredths of a second: it
 * is done outside transactions, a few at once.
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

/** OWASP's recommendation for argon2id: 19 MiB, two passes. Only tests change it: they sign in a thousand times. */
export const passwordCost = { memory: 19456, passes: 2, parallelism: 1, tagLength: 32 }

/** One of the four threads of Node's pool stays free for files and names, however many processors there are. */
const inTurn = semaphore({ atOnce: Math.min(availableParallelism(), 3), patience: 10_000 })

const MAX = 200
/** A password that is checked, not chosen. */
export const GivenPassword = z.string().min(1, 'Must not be empty.').max(MAX, `Must have at most ${MAX} characters.`)
export const Password = z.string().min(8, 'Must have at least 8 characters.').max(MAX, `Must have at most ${MAX} characters.`)

/** A new password, typed twice. */
export const newPassword = { password: Password, password_confirmation: z.string().max(1000) }
export const confirmed = (value: { password: string; password_confirmation: string }) =>
  value.password === value.password_confirmation
export const mismatch = { path: ['password_confirmation'], message: 'Must be the same as the password.' }

/** 422 on `password`, or how the input calls it, when it doesn't keep to the platform's rules. */
export async function checkPasswordRules(ctx: BaseCtx, password: string, field = 'password') {
  const least = await platformSetting(ctx, 'password_min_length')
  if (password.length < least) throw invalid({ [field]: `Must have at least ${least} characters.` })
  if ((await platformSetting(ctx, 'password_require_special')) && !/[^\p{L}\p{N}]/u.test(password))
    throw invalid({ [field]: 'Must contain a character that is neither a letter nor a digit.' })
}

/** Takes its turn: a 503 after ten seconds of waiting. Never inside a transaction. */
export const hashPassword = (password: string): Promise<string> =>
  inTurn(async () => {
    const nonce = randomBytes(16)
    const tag = await derive('argon2id', { message: password, nonce, ...passwordCost })
    return phc(nonce, tag)
  })

/** Whether a password is right. Takes its turn, as `hashPassword` does. */
export const verifyPassword = async (password: string, hash: string | null): Promise<boolean> =>
  (await verifyAmong(password, [hash], 1))[0]!

/**
 * Which of some hashes a password fits. It does `work` verifications however many there are, decoys for those that are missing, so
 * that the time tells nothing.
 */
export const verifyAmong = (password: string, hashes: (string | null)[], work: number): Promise<boolean[]> =>
  inTurn(async () => {
    const fits: boolean[] = []
    for (let n = 0; n < Math.max(work, hashes.length); n++) fits.push(await fitsHash(password, hashes[n]))
    return fits.slice(0, hashes.length)
  })

/** Whether a stored hash costs who guesses less work than a new one would: the cost was raised since. */
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
