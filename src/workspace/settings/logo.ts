/** Logo of the workspace: uploaded, validated by its bytes, and used on documents, mails and pages. */
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { HttpError, invalid } from '#kernel/errors.ts'
import { isBeyondReading, isolated } from '#kernel/isolate/isolated.ts'
import { renderPdf } from '#kernel/pdf/pdf-spec.ts'
import { discardUnused, keepUpload, receiveUpload, type Upload, type UploadRule } from '#kernel/storage/uploads.ts'
import { formatted } from '#kernel/values/fields.ts'
import { replaceLogo } from '#workspace/issued-documents/public.ts'
import type { cleanSvg } from './svg.ts'

/** Maximum width and height of a PNG, in pixels. */
const MAX_SIDE = 5000
const EXPECTED = 'Must be a PNG or SVG picture.'

/** An SVG has no magic bytes: its type is checked after the upload. */
export const logoRule: UploadRule = { maxBytes: 2 * 1024 * 1024, tooLarge: 422, required: true }

export const Logo = z.object({ logo_url: formatted('uri').nullable() }).meta({ id: 'WorkspaceLogo' })

const cleanInChild = isolated<typeof cleanSvg>(import.meta.resolve('./svg.ts'), 'cleanSvg', { seconds: 10, megabytes: 400 })

/** Returns the picture's link, which never expires. */
export async function showLogo(ctx: Ctx): Promise<z.input<typeof Logo>> {
  const { logo_path } = await ctx.tx
    .selectFrom('tenants')
    .select('logo_path')
    .where('id', '=', ctx.tenant.id)
    .executeTakeFirstOrThrow()
  return { logo_url: logo_path && ctx.services.storage.url(logo_path) }
}

/**
 * Sets an uploaded picture as the logo. 422 on `file` that is neither PNG nor SVG, contains forbidden SVG content, or can't be
 * printed.
 */
export async function saveLogo(steps: WorkspaceSteps, file: Upload | undefined): Promise<z.input<typeof Logo>> {
  if (!file) throw invalid({ file: 'Is required.' })
  const picture = await judged(steps, file)
  try {
    return await steps.finish(async (ctx) => {
      await keepUpload(ctx, picture)
      await replaceLogo(ctx, picture.key)
      return showLogo(ctx)
    })
  } finally {
    await discardUnused(steps.services, [picture])
  }
}

/** Removes the logo; a no-op without one. */
export async function removeLogo(ctx: Ctx): Promise<z.input<typeof Logo>> {
  await replaceLogo(ctx, null)
  return showLogo(ctx)
}

/** Returns the picture to store: a PNG unchanged, an SVG rewritten. */
async function judged({ services, tenant }: WorkspaceSteps, file: Upload): Promise<Upload> {
  const bytes = (await services.storage.get(file.key))!
  const isPng = file.kind === 'png'
  if (isPng) checkPng(bytes)
  else if (file.kind !== undefined && file.kind !== 'xml') throw invalid({ file: EXPECTED })
  const picture = isPng ? file : await cleaned(services, tenant.id, bytes)
  try {
    await renderPdf(services, tenant.id, { template: 'settings/logo', data: {}, files: { logo: picture.key } })
    return picture
  } catch (error) {
    await discardUnused(services, [picture])
    throw error instanceof HttpError && error.status !== 422 ? error : invalid({ file: 'Must be a picture that can be printed.' })
  }
}

/** Width and height are at fixed offsets of the first chunk. */
function checkPng(bytes: Buffer) {
  if (bytes.length < 24 || bytes.readUInt32BE(16) > MAX_SIDE || bytes.readUInt32BE(20) > MAX_SIDE)
    throw invalid({ file: `Must be at most ${MAX_SIDE} pixels wide and high.` })
}

async function cleaned(services: WorkspaceSteps['services'], tenantId: number, bytes: Buffer): Promise<Upload> {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  if (!/<svg[\s>]/.test(text)) throw invalid({ file: EXPECTED })
  const clean = await cleanInChild(services, tenantId, text).catch((error) => {
    throw isBeyondReading(error) ? invalid({ file: 'Is more than can be read.' }) : error
  })
  if ('wrong' in clean) throw invalid({ file: clean.wrong })
  const given = { name: 'logo.svg', content: Readable.from([Buffer.from(clean.svg)]) }
  const stored = await receiveUpload(services, tenantId, given, {
    maxBytes: 8 * 1024 * 1024,
    is: { ext: 'svg', mime: 'image/svg+xml' },
  })
  if (typeof stored === 'string') throw invalid({ file: stored })
  return stored
}
