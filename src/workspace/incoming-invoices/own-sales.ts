/**
 * Invoices that the buyer writes in the seller's name (self-billing): if the seller is this workspace, they are its own sales.
 */
import type { Ctx } from '#kernel/context.ts'
import { plain } from './plain-numbers.ts'
import type { InvoiceData, Party } from './reading/invoice-data.ts'

/** UNTDID 1001: self-billed invoices, credit and debit notes, corrections and prepayments. */
const SELF_BILLED = new Set(['261', '389', '471', '473', '500', '501', '502', '527'])
export const isSelfBilled = ({ type_code }: InvoiceData) => SELF_BILLED.has(type_code ?? '')

/** Whether a party is this workspace: by its VAT id or tax number, else by its name. */
export async function isWorkspace(ctx: Ctx, { vat_id, tax_number, name, trading_name }: Party): Promise<boolean> {
  const [ourVatId, ourTaxNumber] = [plain(await ctx.setting('vat_id')), plain(await ctx.setting('tax_number'))]
  if (vat_id && ourVatId) return plain(vat_id) === ourVatId
  if (tax_number && ourTaxNumber && plain(tax_number) === ourTaxNumber) return true
  const { company_name } = await ctx.tx
    .selectFrom('tenants')
    .select('company_name')
    .where('id', '=', ctx.tenant.id)
    .executeTakeFirstOrThrow()
  const names = [company_name, ctx.tenant.name, await ctx.setting('legal_name')].map(folded).filter(Boolean)
  return [name, trading_name].some((one) => !!one && names.includes(folded(one)))
}

const folded = (name: string) => name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()

/** Returns why the invoice is not an expense but a sale of this workspace; undefined if it isn't one. */
export async function ownSale(ctx: Ctx, data: InvoiceData): Promise<string | undefined> {
  if (!isSelfBilled(data) || !(await isWorkspace(ctx, data.seller))) return undefined
  const buyer = data.buyer.name ?? 'The buyer'
  return `Is self-billed (type ${data.type_code}): ${buyer} wrote it for a sale of this workspace, so it is income and no expense. Enter it as an invoice to ${buyer}, then close it here.`
}
