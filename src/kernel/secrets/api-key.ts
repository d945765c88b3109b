/**
 * Format of API keys: `atr_<id>_<secret><checksum>`. Secret scanners find keys by the format and verify them by the checksum.
 * Invalid keys are rejected without a database query.
 */
import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { sha256 } from './secrets.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 190 random bits. */
const SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6
const KEY = /^(atr_(\d{1,15})_([0-9A-Za-z]{32}))([0-9A-Za-z]{6})$/

/**
 * Creates a secret for the key with this id. Returns the full key (shown to its owner once), the displayable prefix, and the hash
 * to store.
 */
export function newApiKey(id: number) {
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const body = `atr_${id}_${secret}`
  return { key: body + checksumOf(body), prefix: body.slice(0, -SECRET_LENGTH + 4), secret_hash: sha256(secret) }
}

/** Returns a key's id and the hash of its secret; undefined if the text isn't a key. */
export function readApiKey(text: string): { id: number; digest: Buffer } | undefined {
  const [, body, id, secret, checksum] = KEY.exec(text) ?? []
  return checksum !== undefined && checksum === checksumOf(body!) ? { id: Number(id), digest: sha256(secret!) } : undefined
}

/** CRC32 in base 62. */
function checksumOf(text: string): string {
  let digits = ''
  for (let rest = crc32(text); digits.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62))
    digits = ALPHABET[rest % 62] + digits
  return digits
}
