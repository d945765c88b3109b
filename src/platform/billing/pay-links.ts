/** Payment links of invoices. A link contains the invoice's id and a signature, so that others can't be guessed. */
import type { Services } from '#kernel/context.ts'

interface Key {
  tenant_id: number
  id: number
}

const PURPOSE = 'pay-invoice'
const textOf = ({ tenant_id, id }: Key) => `${tenant_id}-${id}`

/** Returns the signed link to an invoice's payment page. */
export const payUrl = ({ config, secrets }: Services, invoice: Key) =>
  `${config.BASE_URL}/pay/${textOf(invoice)}-${secrets.sign(PURPOSE, textOf(invoice))}`

/** Returns the invoice of a token; undefined if the signature is invalid. */
export function invoiceNamed({ secrets }: Services, token: string): Key | undefined {
  const [, tenant, id, signature] = /^(\d{1,15})-(\d{1,15})-([\w-]{43})$/.exec(token) ?? []
  const named = { tenant_id: Number(tenant), id: Number(id) }
  return signature && secrets.verify(PURPOSE, textOf(named), signature) ? named : undefined
}
