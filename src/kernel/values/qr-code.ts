/** QR codes as pictures. */
import { correction, generate } from 'lean-qr'
import { toPngBuffer } from 'lean-qr/extras/node_export'
import { toSvgSource } from 'lean-qr/extras/svg'

/** Width of the quiet zone around a code in modules, as the standard requires. */
const QUIET = 4

const codeOf = (text: string) => generate(text, { minCorrectionLevel: correction.M })

/** Returns an SVG, `size` pixels wide and high. */
export const qrSvg = (text: string, size: number): string =>
  toSvgSource(codeOf(text), { width: size, height: size, pad: QUIET, on: '#000', off: '#fff' })

/** Returns the rows from the top, `1` for a dark module, without the margin, for callers that draw the code themselves. */
export function qrRows(text: string): string[] {
  const code = codeOf(text)
  const along = Array.from({ length: code.size }, (_, n) => n)
  return along.map((y) => along.map((x) => (code.get(x, y) ? '1' : '0')).join(''))
}

/**
 * Returns a PNG, `size` pixels wide and high. Modules are whole pixels; the remainder is added to the margin. A code that doesn't
 * fit is drawn with one pixel per module.
 */
export function qrPng(text: string, size: number): Buffer {
  const code = codeOf(text)
  const scale = Math.max(1, Math.floor(size / (code.size + 2 * QUIET)))
  const margin = Math.floor((size - scale * code.size) / 2)
  const at = (pixel: number) => Math.floor((pixel - margin) / scale)
  return Buffer.from(toPngBuffer({ size, get: (x, y) => code.get(at(x), at(y)) }, { pad: 0 }))
}
