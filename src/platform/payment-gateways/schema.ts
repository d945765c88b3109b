import { sql } from 'kysely'
import { z } from 'zod'
import { computed, view } from '#kernel/records/view.ts'
import { choice, coded, hardStamps, id, instant } from '#kernel/values/fields.ts'
import { defaultCode, isEnabled } from './state.ts'

/** BIL-09 */
export const MODES = ['sandbox', 'live'] as const

export const PaymentGateway = view('payment_gateways', 'PaymentGateway', {
  id: z.int(),
  code: z.string(),
  name: z.string(),
  is_enabled: computed(z.boolean(), ({ table }) => isEnabled(table)),
  is_default: computed(z.boolean(), ({ table }) => sql`${sql.ref(`${table}.code`)} = ${defaultCode}`),
  mode: choice(MODES).describe('Whether its sandbox is used or live money.'),
  is_configured: z.boolean().describe('Whether all credentials of the mode are there.'),
  last_tested_at: instant().nullable().describe('When the connection was last tested; null: never.'),
  ...hardStamps,
})

/** Displayable state of a credential (BIL-08). */
const Masked = z.object({
  set: z.boolean().describe('Whether there is one.'),
  last4: z
    .string()
    .nullable()
    .meta({ description: 'Its last four letters, where it is long enough.', examples: ['x7Qa'] }),
})

export const GatewayConfig = z
  .object({
    id: z.int(),
    code: z.string(),
    mode: choice(MODES).describe('Whose credentials these are.'),
    is_configured: z.boolean(),
    credentials: z.record(z.string(), Masked),
  })
  .meta({ id: 'PaymentGatewayConfig' })

export const ConfigureGateway = z.object({
  mode: choice(MODES).describe('Whose credentials these are. Default: the mode at hand.').optional(),
  credentials: z
    .record(z.string().max(50), z.string().trim().max(500, 'Must be at most 500 characters.').nullable())
    .refine((sent) => Object.keys(sent).length <= 20, 'Must be at most 20.')
    .describe('Those that are sent are changed; null removes one.'),
})

export const SetMode = z.object({ mode: choice(MODES).describe('The sandbox or live money.') })

export const Tested = z
  .object({ ok: z.boolean().describe('Whether the provider took the credentials.'), message: z.string() })
  .meta({ id: 'PaymentGatewayTest' })

export const WebhookStatus = z
  .object({ url: z.string().nullable(), is_configured: z.boolean(), last_received_at: instant().nullable() })
  .meta({ id: 'PaymentWebhookStatus' })

export const Capabilities = z
  .object({
    needs_price_mapping: z.boolean().describe('Whether prices must be named by their ids at the provider.'),
    has_webhook: z.boolean().describe('Whether its provider tells events.'),
    modes: z.array(choice(MODES)).meta({ description: 'The modes that it has.', examples: [['sandbox', 'live']] }),
    credentials: z
      .array(z.string())
      .meta({ description: 'Names of the credentials that it takes.', examples: [['secret_key', 'webhook_secret']] }),
  })
  .meta({ id: 'PaymentGatewayCapabilities' })

const modeWords = { sandbox: 'Sandbox', live: 'Live' }

/** Labels of gateway actions in the log. */
const actionWords = { 'test-connection': 'Test connection', charge: 'Charge', checkout: 'Checkout', credit: 'Credit' } as const
export type GatewayAction = keyof typeof actionWords

export const GatewayLog = view('payment_gateway_logs', 'PaymentGatewayLog', {
  id: z.int(),
  mode: coded(z.string().meta({ description: 'In which mode it was.', examples: ['sandbox'] }), modeWords),
  action: coded(z.string().meta({ description: 'What was asked of the provider.', examples: ['test-connection'] }), actionWords),
  is_success: z.boolean().describe('Whether it went well.'),
  message: z.string().nullable(),
  created_at: instant(),
})

export const WebhookLog = view('payment_gateway_events', 'PaymentWebhookLog', {
  id: z.int(),
  mode: coded(z.string(), modeWords),
  event_id: z.string().meta({ description: 'What the provider calls the event.', examples: ['evt_1PabcD'] }),
  type: z.string().meta({ description: 'The kind of event, in the provider’s words.', examples: ['payment_intent.succeeded'] }),
  outcome: coded(z.string().meta({ description: 'What became of it here.', examples: ['processed'] }), {
    ...{ processed: 'Processed', ignored: 'Ignored' },
  }),
  deliveries: z.int().meta({ description: 'How often the provider told it.', examples: [1] }),
  occurred_at: instant().describe('When it happened, as the provider says.'),
  created_at: instant(),
})

const priceId = () => z.string().trim().min(1, 'Must not be empty.').max(255, 'Must be at most 255 characters.').nullish()
/** BIL-10 */
export const MapPrices = z.object({
  mappings: z
    .array(z.object({ module_id: id(), monthly_price_id: priceId(), yearly_price_id: priceId() }))
    .max(500, 'Must be at most 500.')
    .describe('The modules and their prices at the provider.'),
})

const ModulePrice = z
  .object({
    module_id: z.int(),
    module: z.object({ id: z.int(), key: z.string(), name: z.string() }),
    monthly_price_id: z
      .string()
      .nullable()
      .meta({ description: 'Id of the monthly price at the provider; null: none.', examples: ['price_1PmonthlyA'] }),
    yearly_price_id: z
      .string()
      .nullable()
      .meta({ description: 'Id of the yearly price at the provider; null: none.', examples: ['price_1PyearlyA'] }),
  })
  .meta({ id: 'PaymentGatewayPrice' })

export const ModulePrices = z
  .object({ mappings: z.array(ModulePrice).describe('The modules and their prices at the provider.') })
  .meta({ id: 'PaymentGatewayPrices' })
