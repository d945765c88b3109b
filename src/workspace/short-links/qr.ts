/** The QR code of a link's short address, as a picture of exactly the size that was asked for. */
import { correction, generate } from 'lean-qr'
import { toPngBuffer } from 'lean-qr/extras/node_export'
import { toSvgSource } from 'lean-qr/extras/svg'
import { z } from 'zod'
import type { FileReply } from '#kernel/http/answer.ts'
import { choice } from '#kernel/values/fields.ts'

const FORMATS = { svg: 'image/svg+xml', png: 'image/png' } as const
export const qrTypes = Object.values(FORMATS)

const says = 'Must be a whole number between 100 and 2000.'

export const QrQuery = z.object({
  format: choice(['svg', 'png']).default('svg'),
  size: z
    .string()
    .regex(/^\d{3,4}$/, says)
    .meta({ description: 'Pixels.', override: { type: 'integer', minimum: 100, maximum: 2000, pattern: undefined } })
    .transform(Number)
    .pipe(z.number().min(100, says).max(2000, says))
    .default(300),
})

/** Modules that stay white around the code, as its standard asks for. */
const QUIET = 4

export const qrCode = (name: string, text: string, { format, size }: z.output<typeof QrQuery>): FileReply => ({
  name: `${name}.${format}`,
  type: FORMATS[format],
  disposition: 'inline',
  content: () => Buffer.from(format === 'svg' ? svg(text, size) : png(text, size)),
})

const codeOf = (text: string) => generate(text, { minCorrectionLevel: correction.M })

const svg = (text: string, size: number) =>
  toSvgSource(codeOf(text), { width: size, height: size, pad: QUIET, on: '#000', off: '#fff', xmlDeclaration: true })

/** Modules are whole pixels; what is left over is added to the margin. A code that doesn't fit otherwise is drawn in its least size. */
function png(text: string, size: number) {
  const code = codeOf(text)
  const scale = Math.max(1, Math.floor(size / (code.size + 2 * QUIET)))
  const margin = Math.floor((size - scale * code.size) / 2)
  const at = (pixel: number) => Math.floor((pixel - margin) / scale)
  return toPngBuffer({ size, get: (x, y) => code.get(at(x), at(y)) }, { pad: 0 })
}
