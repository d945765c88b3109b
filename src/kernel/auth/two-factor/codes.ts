/** Codes of a second factor: from an authenticator app (RFC 6238), and recovery codes in case the app is lost. */
import { randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { Secrets } from '../../secrets/secrets.ts'
import { qrSvg } from '../../values/qr-code.ts'

const PERIOD = 30
const QR_PIXELS = 240
/** Tolerance for clock differences in steps: the previous and the next code are accepted too. */
const WINDOW = 1

/** Returns a new secret for an authenticator app, in base32. */
export const newSecret = () => new Secret({ size: 20 }).base32

/** Returns a secret for import into an app: as a URL for an app on the same device, and as a QR code for another device. */
export function enrolment(secret: string, issuer: string, label: string) {
  const otpauth_url = new TOTP({ issuer, label, secret }).toString()
  return { secret, otpauth_url, svg: qrSvg(otpauth_url, QR_PIXELS) }
}

/** Returns the time step of a code near an instant; undefined if the code is wrong. */
export function stepOf(code: string, secret: string, now: string): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined // otpauth throws on other characters
  const timestamp = Date.parse(now)
  const delta = new TOTP({ secret, period: PERIOD }).validate({ token: code, timestamp, window: WINDOW })
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD) + delta
}

const RECOVERY_CODES = 8
/** Without letters and digits that look alike. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Returns recovery codes with some 49 random bits each: `abcde-fghjk`. */
export const newRecoveryCodes = () => Array.from({ length: RECOVERY_CODES }, () => `${letters(5)}-${letters(5)}`)

const letters = (count: number) => Array.from({ length: count }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/**
 * Returns the stored hash of a recovery code, independent of case and punctuation. It is keyed, so that the codes can't be
 * brute-forced from the database alone.
 */
export const recoveryHash = (secrets: Secrets, code: string) => recoveryHashes(secrets, code)[0]

/**
 * Returns all possible stored hashes of a recovery code, one for each APP_KEY, prefixed with the key's name. They can't be
 * recomputed without the code, so `rotate-key` reports hashes of old keys. Hashes of earlier versions have no key name.
 */
export function recoveryHashes(secrets: Secrets, code: string): [string, ...string[]] {
  const hashes = secrets.signatures('recovery-code', code.toLowerCase().replace(/[^a-z0-9]/g, ''))
  const keys = recoveryKeys(secrets)
  return [...hashes.map((hash, n) => `${keys[n]}.${hash}`), ...hashes] as [string, ...string[]]
}

/** Returns the key names used in stored hashes, the current key's first. */
export const recoveryKeys = (secrets: Secrets) => secrets.signatures('recovery-key', '').map((name) => name.slice(0, 8))
