/** QR code of a link's short address, as an image of exactly the requested size. */
import { z } from 'zod'
import type { FileReply } from '#kernel/http/answer.ts'
import { choice } from '#kernel/values/fields.ts'
import { qrPng, qrSvg } from '#kernel/values/qr-code.ts'

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

export const qrCode = (name: string, text: string, { format, size }: z.output<typeof QrQuery>): FileReply => ({
  name: `${name}.${format}`,
  type: FORMATS[format],
  disposition: 'inline',
  content: () => (format === 'svg' ? Buffer.from(qrSvg(text, size)) : qrPng(text, size)),
})
