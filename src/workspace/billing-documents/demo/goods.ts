/** Demo lines of documents: products at their list price, if they existed on the day. */
import type { Ctx } from '#kernel/context.ts'
import { pickerOf } from '#kernel/demo/calendar.ts'
import type { Plan } from '#kernel/demo/parts.ts'
import { recordsOf } from '#kernel/demo/stories.ts'

const remarks = {
  en: [
    '<p>Including delivery to the <em>back entrance</em>.</p>',
    '<p>As agreed by telephone.</p>',
    '<p>Free samples enclosed.</p>',
  ],
  de: ['<p>Lieferung an den <em>Hintereingang</em>.</p>', '<p>Wie telefonisch besprochen.</p>', '<p>Proben liegen bei.</p>'],
}
/** Used if the workspace has no products. */
const WORK = { id: null, name: 'Consulting', unit_price: '95.00', tax_rate: '0' }

/** Returns a function for the random lines of a document, up to a maximum; it must be called with ascending instants. */
export async function goodsOf(ctx: Ctx, plan: Plan) {
  const { random } = plan
  const products = await recordsOf(ctx, 'products', 'name', 'unit_price', 'tax_rate', 'is_active')
  const sold = products.filter(({ is_active }) => is_active)
  const productAt = pickerOf(plan, sold)
  return (at: string, most: number) =>
    Array.from({ length: random.whole(1, most) }, () => {
      const product = sold.length ? productAt(at) : WORK
      return {
        product_id: product.id,
        name: product.name,
        body: random.happens(0.15) ? random.pick(plan.say(remarks)) : null,
        quantity: String(random.whole(1, Number(product.unit_price) > 150 ? 2 : 12)),
        unit_price: product.unit_price,
        tax_rate: product.tax_rate,
        discount_value: random.pick(['0', '0', '5', '10']),
      }
    })
}

/**
 * Returns a function for a demo customer of a day: a person with their company, a person, or a company. None before any exist.
 */
export async function customersOf(ctx: Ctx, plan: Plan) {
  const { random } = plan
  const contacts = await recordsOf(ctx, 'contacts', 'company_id')
  const companies = await recordsOf(ctx, 'companies')
  const contactAt = pickerOf(plan, contacts)
  const companyAt = pickerOf(plan, companies)
  return (at: string): { contact_id: number | null; company_id: number | null } => {
    const contact = contacts.length && random.happens(0.85) ? contactAt(at) : undefined
    if (contact) return { contact_id: contact.id, company_id: contact.company_id }
    return { contact_id: null, company_id: companies.length ? companyAt(at).id : null }
  }
}
