/** Letterhead of the workspace: name, address, logo, colour; and the languages and time zone of its documents. */
import type { Ctx } from '#kernel/context.ts'
import { countryName } from '#kernel/values/formatters.ts'
import { documentWords, type Language, type Say, writtenFor } from '#workspace/document-texts/public.ts'
import type { Paper } from './paper.ts'
import type { BillingDocumentPdf } from './pdf.ts'

type Branding = Pick<BillingDocumentPdf, 'issuer' | 'accent' | 'footer' | 'language' | 'labels'>

/** Letterhead and texts of a document. */
interface Stationery {
  branding: Branding
  /** Data of the print model besides `printed`. */
  written: Omit<Paper, 'printed'>
  say: Say
}

/**
 * Returns a function from a customer's languages to the workspace's current letterhead; without languages, in the workspace's
 * own.
 */
export async function stationeryOf(ctx: Ctx): Promise<(customer: Language[]) => Stationery> {
  const { company_name, logo_path: logo } = await ctx.tx
    .selectFrom('tenants')
    .select(['company_name', 'logo_path'])
    .where('id', '=', ctx.tenant.id)
    .executeTakeFirstOrThrow()
  const [wordsIn, writtenIn] = await Promise.all([documentWords(ctx), writtenFor(ctx)])
  const { timezone } = ctx.tenant
  const legalName = await ctx.setting('legal_name')
  const address = await ctx.setting('company_address')
  const parts = {
    street: await ctx.setting('street'),
    postcode: await ctx.setting('postcode'),
    city: await ctx.setting('city'),
    country: await ctx.setting('country'),
  }
  const [phone, email] = [await ctx.setting('company_phone'), await ctx.setting('company_email')]
  const [tax_id, vat_id, tax_number] = [
    await ctx.setting('tax_registration_id'),
    await ctx.setting('vat_id'),
    await ctx.setting('tax_number'),
  ]
  const accent = await ctx.setting('document_accent_color')
  const footer = await ctx.setting('document_footer')
  return (customer) => {
    const written = writtenIn(customer)
    const say = wordsIn(written)
    const numbers = printedNumbers(say, { tax_id, vat_id, tax_number })
    const contact = [
      legalName === company_name ? null : legalName,
      address || writtenAddress(parts, say.locale),
      ...[phone, email],
    ]
    const issuer = { name: company_name, lines: addressLines([...contact, ...numbers]) }
    return {
      branding: { issuer, accent, footer, language: written.languages[0], labels: labelsOf(say) },
      written: { logo, ...written, timezone },
      say,
    }
  }
}

/** Prefixes of VAT ids: Member States, and Northern Ireland. */
const VAT_ID =
  /^(?:AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI)(?=(?:\D*\d){7})[A-Z\d]{8,12}$/
const NUMBERS = ['tax_id', 'vat_id', 'tax_number'] as const

/**
 * Returns the tax numbers to print. A number that is set twice is printed once, in any notation, and a VAT id is labelled as
 * such.
 */
export function printedNumbers(say: Say, numbers: { [Name in (typeof NUMBERS)[number]]?: string | null }): string[] {
  const plain = (number: string) => number.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '')
  const named = new Map<string, string>()
  // The last one determines the label.
  for (const name of ['tax_id', 'tax_number', 'vat_id'] as const) if (numbers[name]) named.set(plain(numbers[name]), name)
  return NUMBERS.flatMap((name) => {
    const id = numbers[name]
    if (!id || named.get(plain(id)) !== name) return []
    return say(VAT_ID.test(plain(id)) ? 'vat_id' : name, { id })
  })
}

/** Formats an address from its parts, as lines, with the country's name in the reader's language. '' if there are none. */
export const writtenAddress = (
  { street, postcode, city, country }: Record<'street' | 'postcode' | 'city' | 'country', string | null>,
  locale: string,
) => [street, [postcode, city].filter(Boolean).join(' '), country && countryName(country, locale)].filter(Boolean).join('\n')

/** Fixed texts of the template. */
const labelsOf = (say: Say): Required<NonNullable<BillingDocumentPdf['labels']>> => ({
  description: say.below('description'),
  quantity: say.below('quantity'),
  unit_price: say.below('unit_price'),
  discount: say.below('discount'),
  tax_rate: say.below('line_tax'),
  amount: say.below('amount'),
  no_lines: say('no_lines'),
  rate: say.below('tax_rate'),
  net: say.below('net'),
  tax: say.below('tax'),
  notes: say('notes'),
  terms: say('terms'),
})

/** Lines of printed addresses, without blank ones. */
export const addressLines = (texts: (string | null | undefined)[]) =>
  texts
    .flatMap((text) => (text ?? '').split('\n'))
    .map((line) => line.trim())
    .filter(Boolean)
