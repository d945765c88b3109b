/**
 * Secrets of public links, which arrive before the workspace is known. On a cluster a secret contains its workspace, so that only
 * the node with the link is queried: a node that is down affects only its own links.
 */
import { randomBytes } from 'node:crypto'
import type { BaseCtx, Ctx } from '../context.ts'
import { randomSecret } from '../secrets/secrets.ts'
import { everywhere, inOne, type Within } from './across.ts'

/**
 * Length of a secret in bytes, and of the workspace's id in it, which is XORed with the first bytes so that all bytes look
 * random.
 */
const LENGTH = 32
const NUMBER = 8

/** Returns a secret for a link of the workspace: 256 random bits; on a cluster 192 random bits and the workspace. */
export const linkSecret = (ctx: Ctx): string => (ctx.services.database.isCluster ? placedSecret(ctx.tenant.id) : randomSecret())

/** Returns a random secret that contains the workspace's id. */
export function placedSecret(tenantId: number): string {
  const secret = randomBytes(LENGTH)
  secret.writeBigUInt64BE(secret.readBigUInt64BE(0) ^ BigInt(tenantId), LENGTH - NUMBER)
  return secret.toString('base64url')
}

/** Returns the workspace in a secret, which isn't authenticated; undefined if the value can't be one. */
export function placeOf(secret: string): number | undefined {
  const bytes = Buffer.from(secret, 'base64url')
  if (bytes.length !== LENGTH) return undefined
  const named = bytes.readBigUInt64BE(0) ^ bytes.readBigUInt64BE(LENGTH - NUMBER)
  return named > 0n && named <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(named) : undefined
}

/**
 * Finds the link of a secret; `find` gets the tenant predicate. Links whose secret contains no workspace, from before the
 * database was distributed, are searched on all nodes.
 */
export const findByLinkSecret = <R>(
  { services }: BaseCtx,
  secret: string,
  find: (within: Within) => Promise<R | undefined>,
): Promise<R | undefined> => findInPlace(services.database.isCluster ? placeOf(secret) : undefined, find)

/** Searches the presumed workspace first, then all of them. */
export async function findInPlace<R>(
  place: number | undefined,
  find: (within: Within) => Promise<R | undefined>,
): Promise<R | undefined> {
  return (place === undefined ? undefined : await find(inOne(place))) ?? find(everywhere)
}
