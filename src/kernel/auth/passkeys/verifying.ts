/** Verification of passkeys by @simplewebauthn/server, which is loaded when the first one comes: not everybody has any. */
import type { z } from 'zod'
import type { Origin } from '../../context.ts'
import type { NewCredential, UsedCredential } from './credentials.ts'
import type { PasskeyOptions } from './relying-party.ts'

export const webauthn = () => import('@simplewebauthn/server')

/** Kinds of key that are taken: Ed25519, ES256, RS256. Every device has one of them. */
export const KEYS = [-8, -7, -257]

/** How long an answer to options is taken. */
export const OPTIONS_SECONDS = 300

/**
 * What is to be kept of a new passkey; undefined when it is not what the options asked for. A passkey opens the door alone, so its device
 * must have verified its owner, by a finger or a PIN.
 */
export async function verifyNew({ log }: Origin, asked: PasskeyOptions, credential: z.output<typeof NewCredential>) {
  try {
    if (await hasCertificates(credential.response.attestationObject)) return undefined
    const { verified, registrationInfo } = await (await webauthn()).verifyRegistrationResponse({
      response: credential,
      supportedAlgorithmIDs: KEYS,
      ...expected(asked),
    })
    if (!verified) return undefined
    const { id, publicKey, counter } = registrationInfo.credential
    return { credential_id: id, public_key: Buffer.from(publicKey), counter }
  } catch (error) {
    log.debug({ err: error }, 'passkey refused')
    return undefined
  }
}

/** The device's counter after a use; undefined when the answer isn't that of the passkey, or its counter did not move on. */
export async function verifyUse(
  { log }: Origin,
  asked: PasskeyOptions,
  credential: z.output<typeof UsedCredential>,
  passkey: { credential_id: string; public_key: Buffer; counter: number },
): Promise<number | undefined> {
  try {
    const { verified, authenticationInfo } = await (await webauthn()).verifyAuthenticationResponse({
      response: credential,
      ...expected(asked),
      credential: { id: passkey.credential_id, publicKey: new Uint8Array(passkey.public_key), counter: passkey.counter },
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch (error) {
    log.debug({ err: error }, 'passkey refused')
    return undefined
  }
}

const expected = ({ challenge, origin, rp_id }: PasskeyOptions) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: rp_id,
  requireUserVerification: true,
})

/**
 * Whether a device's maker vouches for it. Nobody asked for that, and checking such certificates would fetch whatever address they
 * name for their revocation.
 */
async function hasCertificates(attestationObject: string) {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers')
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const format = decoded.get('fmt')
  return !(format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined))
}
