/** World in which every operation can succeed: with stand-ins of external services (mailboxes, Stripe, an ad platform, DNS). */
import { after } from 'node:test'
import { APP_SECRET, startGraph, VERIFY_TOKEN } from '#test/stand-ins/graph.ts'
import { startStripe } from '#test/stand-ins/stripe.ts'
import { type Billing, billingOf } from '../billing-world.ts'
import { startDns } from '../dns.ts'
import { startTest, type World } from '../harness.ts'
import { startImap } from '../imap.ts'
import { PASSWORD as MAILBOX_PASSWORD } from '../mailboxes.ts'
import { isSampled } from '../sampling.ts'
import { startSubmission } from '../submission.ts'
import { type Operation, operationsOf } from './operations.ts'

export interface ContractWorld extends World {
  /** Every operation of both documents, as served. */
  operations: Operation[]
  /** Returns whether this run includes the operation (test/sampling.ts). */
  isSampled(operation: Operation): boolean
  /** Ports of the mail servers. */
  mailbox: { imap: number; smtp: number }
  dns: Awaited<ReturnType<typeof startDns>>
  billing: Billing
}

/** `env`: additional settings of the service. */
export async function startContract(env: Record<string, string> = {}): Promise<ContractWorld> {
  const [graph, stripe, dns] = [await startGraph(), await startStripe(() => world.clock.now()), await startDns()]
  const [imap, smtp] = [await startImap(), await startSubmission(MAILBOX_PASSWORD)]
  const world = await startTest({
    env: {
      ALLOW_INTERNAL_MAIL_HOSTS: 'true',
      STRIPE_API_BASE: stripe.url,
      SOCIAL_ADS_API_URL: graph.url,
      SOCIAL_ADS_APP_ID: 'app-1',
      SOCIAL_ADS_APP_SECRET: APP_SECRET,
      SOCIAL_ADS_VERIFY_TOKEN: VERIFY_TOKEN,
      DNS_SERVER: dns.address,
      SERVER_IPV4: '203.0.113.7',
      PLATFORM_DOMAIN: 'atrium.test',
      ...env,
    },
  })
  after(() => Promise.all([graph.close(), stripe.close(), dns.stop(), imap.stop(), smtp.stop()]))
  const billing = await billingOf(world, stripe)
  const documents = await Promise.all(
    (['workspace', 'platform'] as const).map(async (api) => {
      const { body } = await world.root.get(`/api/${api === 'workspace' ? 'tenant' : 'central'}/v1/openapi.json`)
      return operationsOf(body, api)
    }),
  )
  const moduleOf = new Map(
    (await world.services.modules.routes()).map(({ module, route, path }) => [
      `${route.method} ${path.replace(/:(\w+)/g, '{$1}')}`,
      module.key,
    ]),
  )
  return {
    ...world,
    operations: documents.flat(),
    isSampled: ({ at }) => isSampled(at, moduleOf.get(at) ?? ''),
    mailbox: { imap: imap.port, smtp: smtp.port },
    dns,
    billing,
  }
}
