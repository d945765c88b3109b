/**
 * Secrets of public links, which are brought before the workspace is known. On a cluster a secret says which workspace it is of, so that the machine which has
 * the link is asked for it and no other: one that is down takes its own links along.
 */
import { randomBytes } from 'node:crypto'
import type { BaseCtx, Ctx } from '../context.ts'
import { randomSecret } from '../secrets/secrets.ts'
import { everywhere, inOne, type Within } from './across.ts'

/** Bytes of a secret, and those of them that are the workspace's number, behind a mask made of the first ones: all look random. */
const LENGTH = 32
const NUMBER = 8

/** A secret for a link of the workspace: 256 random bits; on a cluster 192 and the workspace. */
export const linkSecret = (ctx: Ctx): string => (ctx.services.database.isCluster ? placedSecret(ctx.tenant.id) : randomSecret())

export function placedSecret(tenantId: number): string {
  const secret = randomBytes(LENGTH)
  secret.writeBigUInt64BE(secret.readBigUInt64BE(0) ^ BigInt(tenantId), LENGTH - NUMBER)
  return secret.toString('base64url')
}

/** The workspace that a secret names, which anybody may have written into it; undefined where it can be none. */
export function placeOf(secret: string): number | undefined {
  const bytes = Buffer.from(secret, 'base64url')
  if (bytes.length !== LENGTH) return undefined
  const named = bytes.readBigUInt64BE(0) ^ bytes.readBigUInt64BE(LENGTH - NUMBER)
  return named > 0n && named <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(named) : undefined
}

/**
 * Finds the link of a secret. `find` is told where: the condition for a table called `as`. A link whose secret names no workspace, made before the database was
 * distributed, is looked for on all machines.
 */
export const findByLinkSecret = <R>(
  { services }: BaseCtx,
  secret: string,
  find: (within: Within) => Promise<R | undefined>,
): Promise<R | undefined> => findInPlace(services.database.isCluster ? placeOf(secret) : undefined, find)

/** Finds in the workspace that is supposed, then in all of them. */
export async function findInPlace<R>(
  place: number | undefined,
  find: (within: Within) => Promise<R | undefined>,
): Promise<R | undefined> {
  return (place === undefined ? undefined : await find(inOne(place))) ?? find(everywhere)
}
