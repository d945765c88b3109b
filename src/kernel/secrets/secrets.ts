/** Encryption and signatures under APP_KEY. Each purpose has its own derived key, so that one use cannot be played against another. */
import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

export interface Secrets {
  /** AES-256-GCM. The purpose is bound to the text: it decrypts under the same one only. */
  encrypt(purpose: string, text: string): Buffer
  decrypt(purpose: string, sealed: Buffer): string
  /** HMAC-SHA256 in base64url, for links and fingerprints. */
  sign(purpose: string, text: string): string
  verify(purpose: string, text: string, signature: string): boolean
}

export function secretsWith(appKey: Buffer): Secrets {
  const keys = new Map<string, Buffer>()
  const keyFor = (use: string) => {
    let key = keys.get(use)
    if (!key) keys.set(use, (key = Buffer.from(hkdfSync('sha256', appKey, '', use, 32))))
    return key
  }
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', keyFor(`sign:${purpose}`))
      .update(text)
      .digest('base64url')
  return {
    encrypt(purpose, text) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keyFor(`encrypt:${purpose}`), iv)
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), sealed])
    },
    decrypt(purpose, sealed) {
      const decipher = createDecipheriv('aes-256-gcm', keyFor(`encrypt:${purpose}`), sealed.subarray(0, 12))
      decipher.setAuthTag(sealed.subarray(12, 28))
      return decipher.update(sealed.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    },
    sign,
    verify: (purpose, text, signature) => sameBytes(Buffer.from(sign(purpose, text)), Buffer.from(signature)),
  }
}

/** Constant-time comparison. */
export const sameBytes = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

export const sha256 = (text: string | Buffer): Buffer => hash('sha256', text, 'buffer')

/** A secret for a person or a link to carry: 256 random bits. */
export const randomSecret = () => randomBytes(32).toString('base64url')
