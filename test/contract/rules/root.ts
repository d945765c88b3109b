/** Rules for addresses at the root: pages, redirects, and webhooks with the providers' signatures. */
import { Stripe } from 'stripe'
import { signatureOf } from '#kernel/http/signature.ts'
import { payUrl } from '#platform/billing/pay-links.ts'
import { WEBHOOK_SECRET } from '#test/stand-ins/stripe.ts'
import type { Body, Setting } from '../requests.ts'
import type { Rule, Rules } from './rule.ts'

const JSON_HEADERS = { 'content-type': 'application/json' }
const seconds = ({ world }: Setting) => Math.floor(Date.parse(world.clock.now()) / 1000)

/** An event of a provider without its own integration about an unknown mail: accepted and ignored. */
const mailEvent: Rule = {
  async request(setting) {
    const secret = 'planted-webhook-secret-77'
    await setting.perform('updateSystemSettings', { body: { settings: { mail_webhook_secret: secret } } })
    const raw = JSON.stringify({ type: 'delivered', message_id: 'message-of-nobody@example.test' })
    return { raw, headers: { ...JSON_HEADERS, 'x-service-signature': signatureOf(secret, seconds(setting), raw) } }
  },
}
const GENERIC = { record: async () => ({ provider: 'generic' }) }

const { webhooks } = new Stripe('sk_test_nothing')
const stripeEvent: Rule = {
  request(setting) {
    const raw = JSON.stringify({
      id: `evt_${crypto.randomUUID()}`,
      object: 'event',
      created: seconds(setting),
      type: 'customer.created',
      data: { object: {} },
    })
    const signature = webhooks.generateTestHeaderString({ payload: raw, secret: WEBHOOK_SECRET, timestamp: seconds(setting) })
    return { raw, headers: { ...JSON_HEADERS, 'stripe-signature': signature } }
  },
}

/** Returns the parameters of the link by which the first admin enters the dashboards of operations. */
async function entrance({ perform }: Setting): Promise<Record<string, string>> {
  const { url } = await perform('enterMetricsDashboard')
  return Object.fromEntries(new URL(url).searchParams)
}
const inDashboards: Rule = {
  async request(setting) {
    const { headers } = await setting.world.root.get('/operations/enter', { query: await entrance(setting) })
    return { token: undefined, headers: { cookie: String(headers['set-cookie']).split(';')[0]! } }
  },
}

/** Letters that were retried or discarded meanwhile are skipped. */
const withLetter: Rule = { ...inDashboards, body: () => ({ ids: [crypto.randomUUID()] }) }

const SIGNED = {
  signer_name: 'Grace Hopper',
  signer_email: 'grace@hopper.test',
  accept_terms: 'true',
  drawn: undefined,
  document_sha256: undefined,
}

export const rootRules: Rules = {
  signContractPage: { body: () => SIGNED },
  signQuotationPage: { body: () => SIGNED },
  '/unsubscribe': {
    async record({ world: { services }, firm, by }) {
      const { unsubscribeLink } = await import('#workspace/notifications/unsubscribing.ts') // after loadModules
      const at = { services, tenant: { id: firm.id, timezone: 'UTC' }, now: services.clock.now() } as never
      return { token: new URL(unsubscribeLink(at, { user_id: by.id, type: 'task.assigned' }).url).pathname.split('/').at(-1) }
    },
  },
  '/r': { record: ({ recordOf }) => recordOf('short_link') },
  '/webhooks/payments': {
    async record({ perform }): Promise<Body> {
      const { webhook_url } = await perform('saveStripeMethod')
      return { uuid: webhook_url.split('/').at(-1) }
    },
  },
  receiveInvoicePaymentEvent: stripeEvent,
  '/webhooks/email': GENERIC,
  '/webhooks/email/{provider}': { record: async ({ firm }) => ({ slug: firm.slug }) },
  receiveEmailEvents: mailEvent,
  receiveWorkspaceEmailEvents: mailEvent,
  '/webhooks/gateways': { record: async () => ({ code: 'stripe' }) },
  receiveStripeEvent: stripeEvent,
  receivePaymentEvent: stripeEvent,
  '/pay': {
    async record({ recordAt, world }): Promise<Body> {
      const { id, tenant } = await recordAt('/api/central/v1/invoices')
      return { token: new URL(payUrl(world.services, { id, tenant_id: tenant.id })).pathname.split('/').at(-1) }
    },
  },
  finishSocialAdsGrant: {
    async request({ perform }) {
      const { url } = await perform('beginSocialAdsGrant')
      return { query: { state: new URL(url).searchParams.get('state')!, code: 'good-code' } }
    },
  },
  mayIssueCertificate: {
    async request({ perform, world, firm }) {
      await perform('markDomainProvisioned')
      const [{ hostname }] = await world.sql('SELECT host AS hostname FROM branded_hosts WHERE tenant_id = $1 LIMIT 1', [firm.id])
      return { query: { domain: hostname } }
    },
  },
  showOperationsEnter: { request: async (setting) => ({ query: await entrance(setting) }) },
  showOperationsMetrics: inDashboards,
  showOperationMetricsData: inDashboards,
  showOperationsQueues: inDashboards,
  showOperationQueuesData: inDashboards,
  retryOperationQueues: withLetter,
  discardOperationQueues: withLetter,
}
