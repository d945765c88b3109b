/**
 * UUIDs of what strangers ask for before its workspace is known: short links, addresses of webhooks, mails. On a cluster one says which workspace it is of, so
 * that the machine which has the row is asked for it and no other.
 */
import { randomUUID } from 'node:crypto'
import type { BaseCtx } from '../context.ts'
import type { Within } from './across.ts'
import { findInPlace } from './link-secrets.ts'

/** Bytes of the workspace's number, at the end, behind a mask made of the first ones. */
const NUMBER = 6

/** The column `uuid` of a new row of the workspace: on a cluster 74 random bits and the workspace; elsewhere left to the database. */
export const ownUuid = ({ services }: Pick<BaseCtx, 'services'>, tenantId: number): { uuid?: string } =>
  services.database.isCluster ? { uuid: placedUuid(tenantId) } : {}

export function placedUuid(tenantId: number): string {
  const bytes = bytesOf(randomUUID())
  bytes.writeUIntBE(Number(BigInt(bytes.readUIntBE(0, NUMBER)) ^ BigInt(tenantId)), bytes.length - NUMBER, NUMBER)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The workspace that a UUID names, which anybody may have written into it; any number where it was made elsewhere. 0 is the platform. */
export function placeOfUuid(uuid: string): number {
  const bytes = bytesOf(uuid)
  return Number(BigInt(bytes.readUIntBE(0, NUMBER)) ^ BigInt(bytes.readUIntBE(bytes.length - NUMBER, NUMBER)))
}

const bytesOf = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex')

/** Finds the row of a UUID: as findByLinkSecret does it for a secret. */
export const findByUuid = <R>(
  { services }: Pick<BaseCtx, 'services'>,
  uuid: string,
  find: (within: Within) => Promise<R | undefined>,
): Promise<R | undefined> => findInPlace(services.database.isCluster ? placeOfUuid(uuid) : undefined, find)
