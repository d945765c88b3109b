import { platform } from '#kernel/http/route.ts'
import { changeMode, configure } from './credentials.ts'
import { disable, enable, findGateway, gatewayList, gatewayOf, lockGateway, makeDefault, showGateway } from './gateways.ts'
import { gatewayLogs, ofGateway, testConnection, webhookLogs, webhookStatus } from './logs.ts'
import { mapPrices, modulePrices } from './module-prices.ts'
import {
  Capabilities,
  ConfigureGateway,
  GatewayConfig,
  GatewayLog,
  MapPrices,
  MODES,
  ModulePrices,
  PaymentGateway,
  SetMode,
  Tested,
  WebhookLog,
  WebhookStatus,
} from './schema.ts'

const { get, post, put, multiTransaction } = platform

/** BIL-07 */
const mayList = ['payment-gateways.list', 'billing.manage'] as const
const mayRead = ['payment-gateways.read', 'billing.manage'] as const
const mayUpdate = ['payment-gateways.update', 'billing.manage'] as const
const change = { allow: mayUpdate, record: lockGateway } as const

export default [
  get('/', { allow: mayList, query: gatewayList.query, page: PaymentGateway }, (ctx, { query }) => gatewayList.page(ctx, query)),
  get('/:id', { allow: mayRead, reply: PaymentGateway }, (ctx, { id }) => showGateway(ctx, id)),
  post(
    '/:id/enable',
    {
      ...change,
      reply: PaymentGateway,
      message: 'Gateway enabled.',
      description: 'Lets the gateway be used beside the default one; `default` makes it that. It needs its credentials first.',
    },
    (ctx, { record }) => enable(ctx, record),
  ),
  post(
    '/:id/disable',
    {
      ...change,
      reply: PaymentGateway,
      message: 'Gateway disabled.',
      description: 'Takes the gateway out of use. 422 for the default one.',
    },
    (ctx, { record }) => disable(ctx, record),
  ),
  post(
    '/:id/default',
    {
      operation: 'makePaymentGatewayDefault',
      description: 'Makes this the gateway of new subscriptions.',
      summary: 'Make a payment gateway the default',
      ...change,
      reply: PaymentGateway,
      message: 'Default gateway changed.',
    },
    (ctx, { record }) => makeDefault(ctx, record),
  ),
  put(
    '/:id/config',
    {
      ...change,
      body: ConfigureGateway,
      reply: GatewayConfig,
      message: 'Credentials saved.',
      description: 'Changes the credentials that are sent, of one mode. They are encrypted, and never answered again.',
    },
    (ctx, { record, body }) => configure(ctx, record, body),
  ),
  put(
    '/:id/mode',
    {
      ...change,
      body: SetMode,
      reply: PaymentGateway,
      message: 'Mode changed.',
      description: 'Changes between the sandbox and live money. Each mode has credentials of its own.',
    },
    async (ctx, { id, record, body }) => {
      await changeMode(ctx, record, body.mode)
      return showGateway(ctx, id)
    },
  ),
  multiTransaction.post(
    '/:id/test-connection',
    {
      allow: mayUpdate,
      reply: Tested,
      message: 'Connection tested.',
      description: 'Asks the provider whether the credentials at hand are good, and notes the answer in the gateway’s log.',
    },
    (steps, { id }) => testConnection(steps, id),
  ),
  get(
    '/:id/webhook-status',
    {
      allow: mayRead,
      description: 'Answers the address to give to the provider, whether its secret is there, and when it was last called.',
      reply: WebhookStatus,
    },
    (ctx, { id }) => webhookStatus(ctx, id),
  ),
  get(
    '/:id/logs',
    {
      allow: mayRead,
      description: 'Answers a page of what was asked of the provider and how it answered, the newest first.',
      record: findGateway,
      query: gatewayLogs.query,
      page: GatewayLog,
    },
    (ctx, { id, query }) => gatewayLogs.page(ctx, query, ofGateway(id)),
  ),
  get(
    '/:id/webhook-logs',
    {
      allow: mayRead,
      record: findGateway,
      query: webhookLogs.query,
      description: 'Answers a page of the events that the provider told, the newest first.',
      page: WebhookLog,
    },
    (ctx, { id, query }) => webhookLogs.page(ctx, query, ofGateway(id)),
  ),
  get(
    '/:id/capabilities',
    {
      allow: mayRead,
      description: 'Answers what the gateway can do and which credentials it takes.',
      record: findGateway,
      reply: Capabilities,
    },
    (_, { record }) => {
      const { needsPriceMapping, hasWebhook, credentials } = gatewayOf(record)
      return { needs_price_mapping: needsPriceMapping, has_webhook: hasWebhook, modes: [...MODES], credentials: [...credentials] }
    },
  ),
  get(
    '/:id/module-prices',
    {
      allow: mayRead,
      description: 'Answers for each module the ids of its prices at the provider.',
      record: findGateway,
      reply: ModulePrices,
    },
    (ctx, { record }) => modulePrices(ctx, record),
  ),
  put(
    '/:id/module-prices',
    {
      ...change,
      body: MapPrices,
      reply: ModulePrices,
      message: 'Prices saved.',
      description: 'Sets the ids of prices at the provider. 422 for a gateway that needs none.',
    },
    (ctx, { record, body }) => mapPrices(ctx, record, body),
  ),
]
