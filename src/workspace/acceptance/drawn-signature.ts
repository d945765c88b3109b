/** A drawn signature: a small PNG as a data URL, stored as a file. */
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Services } from '#kernel/context.ts'
import { HttpError, invalid } from '#kernel/errors.ts'
import { renderPdf } from '#kernel/pdf/pdf-spec.ts'
import { discardUnused, receiveUpload, type Upload } from '#kernel/storage/uploads.ts'

const PREFIX = 'data:image/png;base64,'
const MAX_BYTES = 200 * 1024
/** Length of the prefix and 200 KB in base64, plus a margin, so that a larger picture gets an error about its size. */
const MAX_CHARACTERS = 280_000
const WIDEST = 2000
const HIGHEST = 1000

export const drawnSignature = () =>
  z
    .string()
    .max(MAX_CHARACTERS, 'Must be a picture of at most 200 KB.')
    .refine((value) => value.startsWith(PREFIX), 'Must be a PNG picture as a data URL.')

/**
 * Stores the picture outside of any transaction; it is only kept if it is claimed later (kernel/storage/uploads.ts). 422 on
 * `signature.value` if it isn't a PNG, is too large, or can't be printed.
 */
export async function storeDrawnSignature(services: Services, tenantId: number, dataUrl: string): Promise<Upload> {
  const refuse = (message: string) => invalid({ 'signature.value': message })
  const bytes = Buffer.from(dataUrl.slice(PREFIX.length), 'base64')
  // Width and height are at fixed positions of a PNG's first chunk.
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') throw refuse('Must be a PNG picture.')
  if (bytes.readUInt32BE(16) > WIDEST || bytes.readUInt32BE(20) > HIGHEST)
    throw refuse(`Must be at most ${WIDEST} pixels wide and ${HIGHEST} high.`)
  const given = { name: 'signature.png', content: Readable.from([bytes]) }
  const rule = { maxBytes: MAX_BYTES, kinds: ['png'], expected: 'a PNG picture', tooLarge: 422 } as const
  const stored = await receiveUpload(services, tenantId, given, rule)
  if (typeof stored === 'string') throw refuse(stored)
  try {
    await renderPdf(services, tenantId, { template: 'acceptance/drawn-signature', data: {}, files: { signature: stored.key } })
    return stored
  } catch (error) {
    await discardUnused(services, [stored])
    throw error instanceof HttpError && error.status !== 422 ? error : refuse('Must be a PNG picture that can be printed.')
  }
}
