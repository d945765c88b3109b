/** The link by which an invoice is paid: it names the invoice and is signed, so that nobody guesses another's. */
import type { Services } from '#kernel/context.ts'

interface Key {
  tenant_id: number
  id: number
}

const PURPOSE = 'pay-invoice'
const textOf = ({ tenant_id, id }: Key) => `${tenant_id}-${id}`

export const payUrl = ({ config, secrets }: Services, invoice: Key) =>
  `${config.BASE_URL}/pay/${textOf(invoice)}-${secrets.sign(PURPOSE, textOf(invoice))}`

/** The invoice that a token names; undefined when we have not signed it. */
export function invoiceNamed({ secrets }: Services, token: string): Key | undefined {
  const [, tenant, id, signature] = /^(\d{1,15})-(\d{1,15})-([\w-]{43})$/.exec(token) ?? []
  const named = { tenant_id: Number(tenant), id: Number(id) }
  return signature && secrets.verify(PURPOSE, textOf(named), signature) ? named : undefined
}
