/**
 * Software implementations of sign-in devices: an authenticator app (RFC 6238) and a passkey device (WebAuthn level 3, ES256).
 */
import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** Returns an app's code at an instant. Implemented here, independently of the tested library. */
export function appCode(secret: string, instant: string, digits = 6) {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.parse(instant) / 30_000)))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const number = mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

function fromBase32(text: string) {
  const bits = [...text].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
}

/** Part of the options that a page passes on. */
interface CreationOptions {
  challenge: string
  rp: { id: string }
  user: { id: string }
}
interface RequestOptions {
  challenge: string
  rpId: string
}

/** Deviations of a dishonest or faulty device. */
export interface Deviations {
  origin?: string
  rpId?: string
  type?: string
  challenge?: string
  verified?: boolean
  userHandle?: string
  counter?: number
  attestation?: { fmt: string; attStmt: Record<string, unknown> }
}

/** Returns a device with one passkey, in a browser at an origin. `counts`: it has a signature counter. */
export function passkeyDevice(origin: string, { counts = true } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const cose = new Map<number, unknown>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x!, 'base64url')],
    [-3, Buffer.from(y!, 'base64url')],
  ])
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  let userHandle = ''
  let uses = 0

  const clientData = (type: string, challenge: string, like: Deviations) =>
    Buffer.from(
      JSON.stringify({
        type: like.type ?? type,
        challenge: like.challenge ?? challenge,
        origin: like.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const authenticatorData = (rpId: string, like: Deviations, attested?: Buffer) => {
    const flags = 0x01 | (like.verified === false ? 0 : 0x04) | (attested ? 0x40 : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(like.counter ?? (counts ? ++uses : 0))
    return Buffer.concat([sha256(like.rpId ?? rpId), Buffer.from([flags]), counter, attested ?? Buffer.alloc(0)])
  }
  const answer = <R>(response: R) => ({ id, rawId: id, type: 'public-key' as const, clientExtensionResults: {}, response })

  return {
    id,
    /** `navigator.credentials.create()` */
    create({ challenge, rp, user }: CreationOptions, like: Deviations = {}) {
      userHandle = user.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credentialId.length)
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, cbor(cose)])
      const { fmt, attStmt } = like.attestation ?? { fmt: 'none', attStmt: {} }
      const attestation = new Map<string, unknown>([
        ['fmt', fmt],
        ['attStmt', new Map(Object.entries(attStmt))],
        ['authData', authenticatorData(rp.id, like, attested)],
      ])
      return answer({
        clientDataJSON: clientData('webauthn.create', challenge, like).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
      })
    },
    /** `navigator.credentials.get()` */
    get({ challenge, rpId }: RequestOptions, like: Deviations = {}) {
      const client = clientData('webauthn.get', challenge, like)
      const data = authenticatorData(rpId, like)
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
        userHandle: like.userHandle ?? userHandle,
      })
    },
  }
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** The subset of CBOR (RFC 8949) that passkeys need. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  const map = value as Map<unknown, unknown>
  return Buffer.concat([head(5, map.size), ...[...map].flatMap(([key, one]) => [cbor(key), cbor(one)])])
}

function head(kind: number, n: number) {
  const first = kind << 5
  if (n < 24) return Buffer.from([first | n])
  if (n < 256) return Buffer.from([first | 24, n])
  return Buffer.from([first | 25, n >> 8, n & 255])
}
