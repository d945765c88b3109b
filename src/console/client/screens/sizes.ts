/** Formats a file size. */
import { locale } from './values.tsx'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

export function sizeText(bytes: number): string {
  const step = bytes < 1024 ? 0 : bytes < 1024 ** 2 ? 1 : bytes < 1024 ** 3 ? 2 : 3
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: UNITS[step]!,
    unitDisplay: step ? 'short' : 'long',
    maximumFractionDigits: step >= 2 ? 1 : 0,
  }).format(bytes / 1024 ** step)
}
