/** Verifies passkeys with @simplewebauthn/server, which is loaded on first use because many installations have no passkeys. */
import type { z } from 'zod'
import type { Origin } from '../../context.ts'
import type { NewCredential, UsedCredential } from './credentials.ts'
import type { PasskeyOptions } from './relying-party.ts'

/** Loads the library. */
export const webauthn = () => import('@simplewebauthn/server')

/** Supported key algorithms: Ed25519, ES256, RS256. Every device supports one of them. */
export const KEYS = [-8, -7, -257]

/** Lifetime of the options, in seconds. */
export const OPTIONS_SECONDS = 300

/**
 * Returns the data of a new passkey to store; undefined if it doesn't match the options. A passkey is the only factor, so its
 * device must have verified the user, by fingerprint or PIN.
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

/** Returns the device's counter after a use; undefined if the passkey's signature is invalid or its counter didn't increase. */
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
 * Whether the attestation contains a manufacturer's certificates. They aren't requested, and verifying them would fetch any
 * revocation address that they name.
 */
async function hasCertificates(attestationObject: string) {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers')
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const format = decoded.get('fmt')
  return !(format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined))
}
