/** International bank account numbers (ISO 13616) and bank codes (ISO 9362) as users enter them. */
import { z } from 'zod'

/**
 * Returns letters and digits modulo 97, with letters counting from 10 (ISO 7064). Check digits of IBANs and creditor references
 * use it.
 */
export function mod97(text: string): number {
  let rest = 0
  for (const character of text)
    for (const digit of Number.parseInt(character, 36).toString()) rest = (rest * 10 + Number(digit)) % 97
  return rest
}

/** Returns whether a text in capitals without spaces is an IBAN with valid check digits. */
export const isIban = (text: string) =>
  /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text) && mod97(text.slice(4) + text.slice(0, 4)) === 1

const compact = (most: number) =>
  z
    .string()
    .max(most)
    .transform((typed) => typed.replace(/[\s-]/g, '').toUpperCase())

/** IBAN with valid check digits, stored without spaces in capitals. */
export const iban = () =>
  compact(60)
    .refine(isIban, 'Must be an IBAN: a letter or digit of it is wrong.')
    .meta({ examples: ['DE89370400440532013000'] })

/** Bank code of 8 or 11 letters and digits. */
export const bic = () =>
  compact(20)
    .refine((code) => /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(code), 'Must be a BIC of 8 or 11 letters and digits.')
    .meta({ examples: ['COBADEFFXXX'] })

/** Formats an IBAN in groups of four. */
export const writtenIban = (iban: string) => iban.replace(/(.{4})(?=.)/g, '$1 ')
