/** How the workspace looks on paper: name, address, logo, colour; and in which language and zone its documents are written. */
import type { Ctx } from '#kernel/context.ts'
import type { Paper } from './paper.ts'
import type { BillingDocumentPdf } from './pdf.ts'

type Branding = Pick<BillingDocumentPdf, 'issuer' | 'accent' | 'footer' | 'language'>

/** The workspace's branding as it is now, and what its documents have from it beside. */
export async function brandingOf(
  ctx: Ctx,
): Promise<{ branding: Branding; written: Pick<Paper, 'logo' | 'locale' | 'timezone'> }> {
  const { company_name, logo_path } = await ctx.tx
    .selectFrom('tenants')
    .select(['company_name', 'logo_path'])
    .where('id', '=', ctx.tenant.id)
    .executeTakeFirstOrThrow()
  const { locale, timezone } = ctx.tenant
  const taxId = await ctx.setting('tax_registration_id')
  const lines = [
    await ctx.setting('company_address'),
    await ctx.setting('company_phone'),
    await ctx.setting('company_email'),
    taxId && `Tax ID ${taxId}`,
  ]
  return {
    branding: {
      issuer: { name: company_name, lines: addressLines(lines) },
      accent: await ctx.setting('document_accent_color'),
      footer: await ctx.setting('document_footer'),
      language: locale.split('-')[0],
    },
    written: { logo: logo_path, locale, timezone },
  }
}

/** Addresses as they are printed: a line each, without blank ones. */
export const addressLines = (texts: (string | null | undefined)[]) =>
  texts
    .flatMap((text) => (text ?? '').split('\n'))
    .map((line) => line.trim())
    .filter(Boolean)
