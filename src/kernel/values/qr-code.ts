/** QR codes as pictures. */
import { correction, generate } from 'lean-qr'
import { toPngBuffer } from 'lean-qr/extras/node_export'
import { toSvgSource } from 'lean-qr/extras/svg'

/** Modules that stay white around a code, as its standard asks for. */
const QUIET = 4

const codeOf = (text: string) => generate(text, { minCorrectionLevel: correction.M })

/** `size` pixels wide and high. */
export const qrSvg = (text: string, size: number): string =>
  toSvgSource(codeOf(text), { width: size, height: size, pad: QUIET, on: '#000', off: '#fff' })

/**
 * `size` pixels wide and high. Modules are whole pixels; what is left over is added to the margin. A code that doesn't fit otherwise is drawn
 * with a pixel for each module.
 */
export function qrPng(text: string, size: number): Buffer {
  const code = codeOf(text)
  const scale = Math.max(1, Math.floor(size / (code.size + 2 * QUIET)))
  const margin = Math.floor((size - scale * code.size) / 2)
  const at = (pixel: number) => Math.floor((pixel - margin) / scale)
  return Buffer.from(toPngBuffer({ size, get: (x, y) => code.get(at(x), at(y)) }, { pad: 0 }))
}
