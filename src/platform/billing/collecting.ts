/**
 * Collects due invoices. The provider is called between transactions, with the uuid of a stored pending payment. If the reply or
 * the worker is lost, the payment's state is queried later: nothing is charged twice.
 */
import { type Services, writeAsSystem } from '#kernel/context.ts'
import { oneByOne } from '#kernel/jobs/one-by-one.ts'
import { type PaymentNews, providerOf } from '#platform/payment-gateways/public.ts'
import { lockAccount } from './accounts.ts'
import { type Asked, lease } from './leasing.ts'
import { failInvoice } from './paying.ts'
import { settle } from './settlement.ts'

const AT_ONCE = 8

/** Collects due invoices, batch by batch, until there are none. */
export async function collectDue(services: Services, signal?: AbortSignal) {
  const each = oneByOne(services, 'an invoice that nothing can be charged for could not be noted as failed')
  while (!signal?.aborted) {
    const leased = await writeAsSystem(services, lease)
    if (!leased.found) break
    for (const { tenant_id, id, currency } of leased.unpayable)
      await each.attempt({ tenant_id, invoice: id }, () =>
        writeAsSystem(services, async (ctx) => {
          await lockAccount(ctx, tenant_id, currency)
          await failInvoice(ctx, { tenant_id, id })
        }),
      )
    const waiting = [...leased.asked]
    const one = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await collect(services, next)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
  }
  each.end()
}

/** Requests one payment. If the result is uncertain, it stays pending until the lease ends and is then queried. */
async function collect(services: Services, asked: Asked) {
  try {
    const news = await ask(services, asked)
    if (news) await writeAsSystem(services, (ctx) => settle(ctx, news))
  } catch (error) {
    services.log.warn(
      { err: error, tenant_id: asked.charge.tenant_id, payment: asked.charge.uuid },
      'a payment has no answer yet',
    )
  }
}

async function ask(services: Services, { row, payment, charge, customer, isNew }: Asked): Promise<PaymentNews | undefined> {
  const provider = (await providerOf(services, row, payment.mode))!
  if (isNew) return provider.charge(charge, customer)
  const found = await provider.find(charge, customer)
  if (payment.kind === 'charge') return found ?? provider.charge(charge, customer)
  if (found && (found.status !== 'pending' || found.underway)) return found
  const { uuid, tenant_id } = charge
  const failure = { code: 'expired', message: 'The payment page has expired.' }
  return { uuid, tenant_id, status: 'failed', reference: payment.reference ?? '', failure }
}
