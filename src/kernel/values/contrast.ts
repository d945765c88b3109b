/** Readable colours by WCAG 2's contrast ratio: a custom colour is darkened or lightened until the contrast is sufficient. */

/** Default accent colour. */
export const ACCENT = '#1f4f82'

/** Minimum contrast of text (WCAG 2.2, 1.4.3). */
const ENOUGH = 4.5

type Rgb = [number, number, number]

const rgbOf = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as Rgb
const hexOf = (rgb: Rgb) => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

function luminance(hex: string): number {
  const [r, g, b] = rgbOf(hex).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}

/** Contrast ratio of two colours such as #1f4f82, from 1 to 21. */
function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** Returns the text colour for a background: black or white. */
export const inkOn = (background: string): string =>
  contrast('#ffffff', background) >= contrast('#000000', background) ? '#ffffff' : '#000000'

/** Returns a text colour for a background: the given one, moved towards black or white as far as necessary. */
export function readableOn(background: string, color: string): string {
  if (contrast(color, background) >= ENOUGH) return color
  const [towards, from] = [rgbOf(inkOn(background)), rgbOf(color)]
  for (let step = 1; step <= 20; step++) {
    const mixed = hexOf(from.map((part, n) => part + ((towards[n]! - part) * step) / 20) as Rgb)
    if (contrast(mixed, background) >= ENOUGH) return mixed
  }
  return inkOn(background)
}
