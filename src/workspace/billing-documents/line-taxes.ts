/** Tax category and unit of a line: data for e-invoices (EN 16931, BG-25 and BG-30). */
import { z } from 'zod'
import { invalid } from '#kernel/errors.ts'
import { choice, coded } from '#kernel/values/fields.ts'
import type { Say, TextKey } from '#workspace/document-texts/public.ts'
import { isUnitCode, PIECE } from './unit-codes.ts'

/** UNCL 5305. */
export const TAX_CATEGORIES = ['S', 'Z', 'E', 'AE', 'K', 'G', 'O'] as const
const categoryWords = {
  S: 'S: standard rate',
  Z: 'Z: zero rate',
  E: 'E: exempt',
  AE: 'AE: reverse charge',
  K: 'K: intra-Community supply',
  G: 'G: export',
  O: 'O: outside the scope of tax',
} satisfies Record<(typeof TAX_CATEGORIES)[number], string>
export type TaxCategory = (typeof TAX_CATEGORIES)[number]

const category = () =>
  coded(choice(TAX_CATEGORIES), categoryWords)
    .nullable()
    .meta({
      description:
        'Why the line is taxed as it is (UNCL 5305): S standard, Z zero rate, E exempt, AE reverse charge, K intra-Community supply, G export, O outside the scope of tax. Null: S where there is a rate; without one an e-invoice can’t be made.',
      examples: ['S'],
    })
const reason = (schema: z.ZodString) =>
  schema.nullable().meta({
    description: 'Why no tax is charged, in words; AE, K, G and O have words of their own where it is null.',
    examples: ['Exempt by § 4 Nr. 11 UStG'],
  })
const unit = (schema: z.ZodString) =>
  schema.meta({
    description: 'Unit of the quantity, by UN/ECE Recommendation 20: C62 piece, HUR hour, DAY day, KGM kilogram, MTR metre.',
    examples: ['HUR'],
  })

/** Fields in input. */
export const taxInput = {
  unit_code: unit(
    z.string().regex(/^[A-Z0-9]{2,3}$/, 'Must be a code of UN/ECE Recommendation 20, such as C62 (piece) or HUR (hour).'),
  )
    .refine(isUnitCode, 'Must be a code of UN/ECE Recommendation 20, such as C62 (piece) or HUR (hour).')
    .default(PIECE),
  tax_category: category().optional(),
  tax_exemption_reason: reason(
    z.string().trim().regex(/\S/, 'Must not be blank.').max(500, 'Must be at most 500 characters.'),
  ).optional(),
}

/** Fields in replies. */
export const taxShown = { unit_code: unit(z.string()), tax_category: category(), tax_exemption_reason: reason(z.string()) }

/** Columns of these fields. */
export const TAX_COLUMNS = Object.keys(taxShown)

interface TaxedLine {
  tax_rate: string
  tax_category?: TaxCategory | null
  tax_exemption_reason?: string | null
}

/**
 * 422 on `lines.N.tax_category` if it contradicts the line's rate, or if only some lines are outside the scope of tax (BR-S-05,
 * BR-Z-05 …, BR-O-11); on `lines.N.tax_exemption_reason` if tax is charged, or would be at another rate than zero (BR-S-10,
 * BR-Z-10).
 */
export function refuseContradictions(lines: TaxedLine[]) {
  const wrong: Record<string, string> = {}
  const categories = new Set(lines.map(({ tax_category }) => tax_category ?? null))
  lines.forEach(({ tax_rate, tax_category, tax_exemption_reason }, n) => {
    const isTaxed = Number(tax_rate) > 0
    const field = `lines.${n}.tax_category`
    if (tax_category === 'S' && !isTaxed) wrong[field] = 'S needs a tax_rate above 0; without tax it is one of Z, E, AE, K, G, O.'
    else if (tax_category && tax_category !== 'S' && isTaxed)
      wrong[field] = `${tax_category} is charged without tax: tax_rate must be 0.`
    else if (tax_category === 'O' && categories.size > 1)
      wrong[field] = 'Either all lines are outside the scope of tax (O) or none.'
    if (tax_exemption_reason && (isTaxed || tax_category === 'Z' || tax_category === 'S'))
      wrong[`lines.${n}.tax_exemption_reason`] = 'Is only for lines that are taxed by none of S and Z.'
  })
  if (Object.keys(wrong).length) throw invalid(wrong)
}

/** Text of the reason for charging no tax, by category. */
const NOTICES = {
  AE: 'reverse_charge',
  K: 'intra_community',
  G: 'export',
  O: 'not_taxable',
} as const satisfies Partial<Record<TaxCategory, TextKey>>

/** Returns the reasons for charging no tax by category, in the document's languages. */
export const noticesIn = (say: Say): Partial<Record<TaxCategory, string>> =>
  Object.fromEntries(Object.entries(NOTICES).map(([category, key]) => [category, say(key)]))

/** Returns the distinct reasons for charging no tax that must be printed with these lines. */
export function taxNotices(say: Say, lines: Pick<TaxedLine, 'tax_category' | 'tax_exemption_reason'>[]): string[] {
  const notices = noticesIn(say)
  const said = lines.flatMap(({ tax_category: category, tax_exemption_reason: reason }) =>
    [category && notices[category], reason].filter((words) => words != null),
  )
  return [...new Set(said)]
}
