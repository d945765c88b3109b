/**
 * Collecting what is due. The provider is asked between transactions, under the uuid of a payment that is pending by then. Whoever finds
 * a pending payment later, because its answer or its worker was lost, asks the provider what became of it: nothing is charged twice.
 */
import { type Services, writeAsSystem } from '#kernel/context.ts'
import { oneByOne } from '#kernel/jobs/one-by-one.ts'
import { type PaymentNews, providerOf } from '#platform/payment-gateways/public.ts'
import { lockAccount } from './accounts.ts'
import { type Asked, lease } from './leasing.ts'
import { failInvoice } from './paying.ts'
import { settle } from './settlement.ts'

const AT_ONCE = 8

/** Collects what is due, batch by batch, until nothing is. */
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

/** Asks for one payment. When it is not certain what came of it, it stays pending until the lease ends, and is then looked up. */
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
