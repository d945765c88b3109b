import { sql } from 'kysely'
import { z } from 'zod'
import { computed, view } from '#kernel/records/view.ts'
import { choice, hardStamps, id, instant } from '#kernel/values/fields.ts'
import { defaultCode, isEnabled } from './state.ts'

/** BIL-09 */
export const MODES = ['sandbox', 'live'] as const

export const PaymentGateway = view('payment_gateways', 'PaymentGateway', {
  id: z.int(),
  code: z.string(),
  name: z.string(),
  is_enabled: computed(z.boolean(), ({ table }) => isEnabled(table)),
  is_default: computed(z.boolean(), ({ table }) => sql`${sql.ref(`${table}.code`)} = ${defaultCode}`),
  mode: choice(MODES),
  is_configured: z.boolean(),
  last_tested_at: instant().nullable(),
  ...hardStamps,
})

/** What may be told of a credential (BIL-08). */
const Masked = z.object({ set: z.boolean(), last4: z.string().nullable() })

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

export const SetMode = z.object({ mode: choice(MODES) })

export const Tested = z.object({ ok: z.boolean(), message: z.string() }).meta({ id: 'PaymentGatewayTest' })

export const WebhookStatus = z
  .object({ url: z.string().nullable(), is_configured: z.boolean(), last_received_at: instant().nullable() })
  .meta({ id: 'PaymentWebhookStatus' })

export const Capabilities = z
  .object({
    needs_price_mapping: z.boolean(),
    has_webhook: z.boolean(),
    modes: z.array(choice(MODES)),
    credentials: z.array(z.string()),
  })
  .meta({ id: 'PaymentGatewayCapabilities' })

export const GatewayLog = view('payment_gateway_logs', 'PaymentGatewayLog', {
  id: z.int(),
  mode: z.string(),
  action: z.string(),
  is_success: z.boolean(),
  message: z.string().nullable(),
  created_at: instant(),
})

export const WebhookLog = view('payment_gateway_events', 'PaymentWebhookLog', {
  id: z.int(),
  mode: z.string(),
  event_id: z.string(),
  type: z.string(),
  outcome: z.string(),
  deliveries: z.int(),
  occurred_at: instant(),
  created_at: instant(),
})

const priceId = () => z.string().trim().min(1, 'Must not be empty.').max(255, 'Must be at most 255 characters.').nullish()
/** BIL-10 */
export const MapPrices = z.object({
  mappings: z
    .array(z.object({ module_id: id(), monthly_price_id: priceId(), yearly_price_id: priceId() }))
    .max(500, 'Must be at most 500.'),
})

const ModulePrice = z
  .object({
    module_id: z.int(),
    module: z.object({ id: z.int(), key: z.string(), name: z.string() }),
    monthly_price_id: z.string().nullable(),
    yearly_price_id: z.string().nullable(),
  })
  .meta({ id: 'PaymentGatewayPrice' })

export const ModulePrices = z.object({ mappings: z.array(ModulePrice) }).meta({ id: 'PaymentGatewayPrices' })
