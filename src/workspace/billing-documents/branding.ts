/** How the workspace looks on paper: name, address, logo, colour; and in which languages and zone its documents are written. */
import type { Ctx } from '#kernel/context.ts'
import { countryName } from '#kernel/values/formatters.ts'
import { documentWords, type Language, type Say, writtenFor } from '#workspace/document-texts/public.ts'
import type { Paper } from './paper.ts'
import type { BillingDocumentPdf } from './pdf.ts'

type Branding = Pick<BillingDocumentPdf, 'issuer' | 'accent' | 'footer' | 'language' | 'labels'>

/** What a document is put on. */
interface Stationery {
  branding: Branding
  /** What the paper has beside what is printed. */
  written: Omit<Paper, 'printed'>
  say: Say
}

/** The workspace's stationery as it is now, for customers of these languages; with none, in the workspace's own. */
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
  const [taxId, vatId, taxNumber] = [
    await ctx.setting('tax_registration_id'),
    await ctx.setting('vat_id'),
    await ctx.setting('tax_number'),
  ]
  const accent = await ctx.setting('document_accent_color')
  const footer = await ctx.setting('document_footer')
  return (customer) => {
    const written = writtenIn(customer)
    const say = wordsIn(written)
    // A number that is set twice is printed once, as what it is.
    const numbers = [
      taxId && taxId !== vatId && taxId !== taxNumber && say('tax_id', { id: taxId }),
      vatId && say('vat_id', { id: vatId }),
      taxNumber && say('tax_number', { id: taxNumber }),
    ]
    const contact = [
      legalName === company_name ? null : legalName,
      address || writtenAddress(parts, say.locale),
      ...[phone, email],
    ]
    const issuer = { name: company_name, lines: addressLines([...contact, ...numbers.map((line) => line || null)]) }
    return {
      branding: { issuer, accent, footer, language: written.languages[0], labels: labelsOf(say) },
      written: { logo, ...written, timezone },
      say,
    }
  }
}

/** An address of its parts, as lines; the country by its name in the reader's language. '' where there are none. */
export const writtenAddress = (
  { street, postcode, city, country }: Record<'street' | 'postcode' | 'city' | 'country', string | null>,
  locale: string,
) => [street, [postcode, city].filter(Boolean).join(' '), country && countryName(country, locale)].filter(Boolean).join('\n')

/** The fixed words of the template. */
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

/** Addresses as they are printed: a line each, without blank ones. */
export const addressLines = (texts: (string | null | undefined)[]) =>
  texts
    .flatMap((text) => (text ?? '').split('\n'))
    .map((line) => line.trim())
    .filter(Boolean)
