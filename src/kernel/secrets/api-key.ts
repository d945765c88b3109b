/**
 * How an API key is written: `atr_<id>_<secret><checksum>`. Secret scanners find it by its form and tell by its checksum a true one from a
 * made-up one; what is no key is refused before the database is asked.
 */
import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { sha256 } from './secrets.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 190 random bits. */
const SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6
const KEY = /^(atr_(\d{1,15})_([0-9A-Za-z]{32}))([0-9A-Za-z]{6})$/

/** A new secret for the key of this id: what its owner is told once, what may be shown of it, what is stored. */
export function newApiKey(id: number) {
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const body = `atr_${id}_${secret}`
  return { key: body + checksumOf(body), prefix: body.slice(0, -SECRET_LENGTH + 4), secret_hash: sha256(secret) }
}

/** The id of a key and the hash of its secret; undefined for what is no key. */
export function readApiKey(text: string): { id: number; digest: Buffer } | undefined {
  const [, body, id, secret, checksum] = KEY.exec(text) ?? []
  return checksum !== undefined && checksum === checksumOf(body!) ? { id: Number(id), digest: sha256(secret!) } : undefined
}

/** The CRC32 in base 62. */
function checksumOf(text: string): string {
  let digits = ''
  for (let rest = crc32(text); digits.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62))
    digits = ALPHABET[rest % 62] + digits
  return digits
}
