/** The codes of a second factor: those of an authenticator app (RFC 6238) and those kept on paper for the day on which it is lost. */
import { randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { Secrets } from '../../secrets/secrets.ts'
import { qrSvg } from '../../values/qr-code.ts'

const PERIOD = 30
const QR_PIXELS = 240
/** Clocks differ: the code before and the code after the present one are right too. */
const WINDOW = 1

/** A secret for an authenticator app, in base32. */
export const newSecret = () => new Secret({ size: 20 }).base32

/** How an app takes a secret over: as an address that opens it on the same device, and as a QR code for another one. */
export function enrolment(secret: string, issuer: string, label: string) {
  const otpauth_url = new TOTP({ issuer, label, secret }).toString()
  return { secret, otpauth_url, svg: qrSvg(otpauth_url, QR_PIXELS) }
}

/** The step of time whose code this is, around an instant; undefined when it is none. */
export function stepOf(code: string, secret: string, now: string): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined // otpauth throws on other signs
  const timestamp = Date.parse(now)
  const delta = new TOTP({ secret, period: PERIOD }).validate({ token: code, timestamp, window: WINDOW })
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD) + delta
}

const RECOVERY_CODES = 8
/** Without letters and digits that are taken for each other. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Recovery codes of some 49 random bits each: `abcde-fghjk`. */
export const newRecoveryCodes = () => Array.from({ length: RECOVERY_CODES }, () => `${letters(5)}-${letters(5)}`)

const letters = (count: number) => Array.from({ length: count }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/** What is stored of a recovery code, however it was typed. Keyed: nobody finds the code by trying who has the database alone. */
export const recoveryHash = (secrets: Secrets, code: string) => recoveryHashes(secrets, code)[0]

/**
 * All that may be stored of it. By each key behind the key's name: nobody can make it anew without the code, and `rotate-key` tells whose is left. Those
 * of earlier versions have no name.
 */
export function recoveryHashes(secrets: Secrets, code: string): [string, ...string[]] {
  const hashes = secrets.signatures('recovery-code', code.toLowerCase().replace(/[^a-z0-9]/g, ''))
  const keys = recoveryKeys(secrets)
  return [...hashes.map((hash, n) => `${keys[n]}.${hash}`), ...hashes] as [string, ...string[]]
}

/** The names of the keys in stored hashes, the present one's first. */
export const recoveryKeys = (secrets: Secrets) => secrets.signatures('recovery-key', '').map((name) => name.slice(0, 8))
