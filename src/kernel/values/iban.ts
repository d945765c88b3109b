/** International bank account numbers (ISO 13616) and the codes of banks (ISO 9362), as they are typed. */
import { z } from 'zod'

/** The remainder by 97 of letters and digits, where letters count from 10 (ISO 7064): what IBANs and creditor references are checked by. */
export function mod97(text: string): number {
  let rest = 0
  for (const character of text)
    for (const digit of Number.parseInt(character, 36).toString()) rest = (rest * 10 + Number(digit)) % 97
  return rest
}

/** Whether a text in capitals and without spaces is an IBAN with the right check digits. */
export const isIban = (text: string) =>
  /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text) && mod97(text.slice(4) + text.slice(0, 4)) === 1

const compact = (most: number) =>
  z
    .string()
    .max(most)
    .transform((typed) => typed.replace(/[\s-]/g, '').toUpperCase())

/** An IBAN whose check digits are right; kept without spaces, in capitals. */
export const iban = () =>
  compact(60)
    .refine(isIban, 'Must be an IBAN: a letter or digit of it is wrong.')
    .meta({ examples: ['DE89370400440532013000'] })

/** The code of a bank, of 8 or 11 letters and digits. */
export const bic = () =>
  compact(20)
    .refine((code) => /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(code), 'Must be a BIC of 8 or 11 letters and digits.')
    .meta({ examples: ['COBADEFFXXX'] })

/** As people read it: in groups of four. */
export const writtenIban = (iban: string) => iban.replace(/(.{4})(?=.)/g, '$1 ')
