/**
 * Encryption and signatures with APP_KEY. Each purpose has its own derived key, so that a value of one purpose is useless for
 * another. Values made with one of APP_KEY_PREVIOUS are accepted too; docs/operations.md describes key rotation.
 */
import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

export interface Secrets {
  /** Encrypts with AES-256-GCM. The result can only be decrypted for the same purpose. */
  encrypt(purpose: string, text: string): Buffer
  decrypt(purpose: string, sealed: Buffer): string
  /** Re-encrypts a value with the current key; undefined if it already is. Throws, as `decrypt` does, if no key decrypts it. */
  renewed(purpose: string, sealed: Buffer): Buffer | undefined
  /** Returns an HMAC-SHA256 in base64url, for links and fingerprints. */
  sign(purpose: string, text: string): string
  /** Returns the signatures by each key, the current key first, for comparison with a stored one. */
  signatures(purpose: string, text: string): string[]
  verify(purpose: string, text: string, signature: string): boolean
}

/** Returns encryption and signatures with the current key, which also accept values of previous keys. */
export function secretsWith(appKey: Buffer, previous: Buffer[] = []): Secrets {
  const present = derivedFrom(appKey)
  const all = [present, ...previous.map(derivedFrom)]
  const encrypt: Secrets['encrypt'] = (purpose, text) => {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', present(`encrypt:${purpose}`), iv)
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), sealed])
  }
  /** Tries all keys. The authentication tag shows which one fits. */
  const open = (purpose: string, sealed: Buffer) => {
    for (const [n, keyFor] of all.entries())
      try {
        const decipher = createDecipheriv('aes-256-gcm', keyFor(`encrypt:${purpose}`), sealed.subarray(0, 12))
        decipher.setAuthTag(sealed.subarray(12, 28))
        return { text: decipher.update(sealed.subarray(28), undefined, 'utf8') + decipher.final('utf8'), isPresent: n === 0 }
      } catch (error) {
        if (n === all.length - 1) throw error
      }
    throw new Error('There is no key.')
  }
  const signBy = (keyFor: KeyFor, purpose: string, text: string) =>
    createHmac('sha256', keyFor(`sign:${purpose}`))
      .update(text)
      .digest('base64url')
  const signatures: Secrets['signatures'] = (purpose, text) => all.map((keyFor) => signBy(keyFor, purpose, text))
  return {
    encrypt,
    decrypt: (purpose, sealed) => open(purpose, sealed).text,
    renewed(purpose, sealed) {
      const { text, isPresent } = open(purpose, sealed)
      return isPresent ? undefined : encrypt(purpose, text)
    },
    sign: (purpose, text) => signBy(present, purpose, text),
    signatures,
    verify: (purpose, text, signature) =>
      signatures(purpose, text).some((one) => sameBytes(Buffer.from(one), Buffer.from(signature))),
  }
}

type KeyFor = (use: string) => Buffer

function derivedFrom(appKey: Buffer): KeyFor {
  const keys = new Map<string, Buffer>()
  return (use) => {
    let key = keys.get(use)
    if (!key) keys.set(use, (key = Buffer.from(hkdfSync('sha256', appKey, '', use, 32))))
    return key
  }
}

/** Encrypted column. Declared next to its purpose, so that `rotate-key` finds it. */
export interface SealedColumn {
  table: string
  column: string
  /** Purpose, or a function that returns it from the row's columns in `by`. */
  purpose: string | ((row: Record<string, unknown>) => string)
  by?: string[]
}

/** Compares in constant time. */
export const sameBytes = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

export const sha256 = (text: string | Buffer): Buffer => hash('sha256', text, 'buffer')

/** Returns a secret of 256 random bits, for a person or a link. */
export const randomSecret = () => randomBytes(32).toString('base64url')
