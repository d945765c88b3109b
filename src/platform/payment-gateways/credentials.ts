/** Credentials of gateways: encrypted, separate for each mode, merged on update, and never returned (BIL-08). */
import type { z } from 'zod'
import type { PlatformCtx, Services } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { Credentials, Mode, Provider } from '#kernel/payment-providers/provider.ts'
import type { SealedColumn } from '#kernel/secrets/secrets.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import type { Gateway } from './gateway.ts'
import { type GatewayRow, gatewayOf, saveGateway } from './gateways.ts'
import type { ConfigureGateway, GatewayConfig } from './schema.ts'
import { isDefaultChosen, storeSetting } from './state.ts'

const purpose = ({ code }: Pick<GatewayRow, 'code'>, mode: Mode) => `payment-gateway:${code}:${mode}`
/** Encrypted columns, for key rotation. */
export const sealedColumns: SealedColumn[] = (['sandbox', 'live'] as const).map((mode) => ({
  table: 'payment_gateways',
  column: `sealed_${mode}`,
  by: ['code'],
  purpose: ({ code }) => purpose({ code: String(code) }, mode),
}))

function credentialsOf({ secrets }: Services, row: GatewayRow, mode: Mode): Credentials {
  const sealed = row[`sealed_${mode}`]
  return sealed ? JSON.parse(secrets.decrypt(purpose(row, mode), sealed)) : {}
}

/** Returns the gateway's provider with the credentials of a mode; undefined if it has none. */
export const providerOf = (services: Services, row: GatewayRow, mode: Mode = row.mode): Promise<Provider> | undefined =>
  gatewayOf(row).provider?.(services.config, mode, credentialsOf(services, row, mode))

const isComplete = ({ credentials }: Gateway, given: Credentials) => credentials.every((key) => given[key])

/** Removes the gateway's credentials from a text. */
export function withoutSecrets(services: Services, row: GatewayRow, text: string) {
  const all = (['sandbox', 'live'] as const).flatMap((mode) => Object.values(credentialsOf(services, row, mode)))
  return all.reduce((clean, secret) => clean.replaceAll(secret, '…'), text).slice(0, 500)
}

/** Updates the sent credentials; null removes one. 422 for credentials that the gateway doesn't have. */
export async function configure(ctx: PlatformCtx, row: GatewayRow, sent: z.output<typeof ConfigureGateway>) {
  const gateway = gatewayOf(row)
  const mode = sent.mode ?? row.mode
  const unknown = Object.keys(sent.credentials).filter((key) => !gateway.credentials.includes(key))
  const known = gateway.credentials.length ? `It takes ${gateway.credentials.join(', ')}.` : `${row.name} takes none.`
  if (unknown.length) throw invalid(Object.fromEntries(unknown.map((key) => [`credentials.${key}`, known])))
  const foreign = Object.entries(sent.credentials).filter(([, value]) => value && (gateway.modeOf?.(value) ?? mode) !== mode)
  if (foreign.length)
    throw invalid(Object.fromEntries(foreign.map(([key]) => [`credentials.${key}`, `Must be a key of the mode ${mode}.`])))

  const merged = { ...credentialsOf(ctx.services, row, mode), ...sent.credentials }
  const given = Object.fromEntries(Object.entries(merged).filter(([, value]) => value)) as Credentials
  const sealed = ctx.services.secrets.encrypt(purpose(row, mode), JSON.stringify(given))
  const is_configured = mode === row.mode ? isComplete(gateway, given) : row.is_configured
  await saveGateway(ctx, row, { [`sealed_${mode}`]: sealed, is_configured })
  if (mode === row.mode) await announceSettings(ctx, row, given, is_configured)
  await audit(ctx, 'payment_gateway_configured', { gateway: row.code, mode, credentials: Object.keys(sent.credentials) }, 0)
  return shown({ ...row, is_configured }, mode, given)
}

/**
 * Updates the settings: whether the webhook secret is set and, until a default has been chosen, the first provider as the
 * default.
 */
async function announceSettings(ctx: PlatformCtx, row: GatewayRow, given: Credentials, isConfigured: boolean) {
  await storeSetting(ctx, `${row.code}_webhook_configured`, Boolean(given.webhook_secret))
  if (!isConfigured || !gatewayOf(row).provider || (await isDefaultChosen(ctx))) return
  await saveGateway(ctx, row, { is_enabled: true })
  await storeSetting(ctx, `${row.code}_enabled`, true)
  await storeSetting(ctx, 'default_payment_gateway', row.code)
}

/** Switches to the credentials of the other mode. Earlier payments keep their mode. */
export async function changeMode(ctx: PlatformCtx, row: GatewayRow, mode: Mode) {
  const given = credentialsOf(ctx.services, row, mode)
  await saveGateway(ctx, row, { mode, is_configured: isComplete(gatewayOf(row), given) })
  await storeSetting(ctx, `${row.code}_webhook_configured`, Boolean(given.webhook_secret))
  await audit(ctx, 'payment_gateway_mode_changed', { gateway: row.code, mode }, 0)
}

/** Returns whether the current mode has the secret that verifies webhooks. */
export const hasWebhookSecret = (services: Services, row: GatewayRow) =>
  Boolean(credentialsOf(services, row, row.mode).webhook_secret)

const LAST = 4
/** Minimum length of a secret whose last characters are shown. */
const LEAST_FOR_LAST = 8

function shown(row: GatewayRow, mode: Mode, given: Credentials): z.input<typeof GatewayConfig> {
  const masked = gatewayOf(row).credentials.map((key) => {
    const value = given[key]
    return [key, { set: Boolean(value), last4: value && value.length >= LEAST_FOR_LAST ? value.slice(-LAST) : null }] as const
  })
  const { id, code, is_configured } = row
  return { id, code, mode, is_configured, credentials: Object.fromEntries(masked) }
}
