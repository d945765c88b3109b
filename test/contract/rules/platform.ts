/** Rules for the platform: workspaces, billing, applications, the catalogue. */
import { CREDENTIALS } from '#test/stand-ins/stripe.ts'
import { PASSWORD } from '../../harness.ts'
import type { Body, Setting } from '../requests.ts'
import { picture } from './account.ts'
import type { Rules } from './rule.ts'

const BASE = '/api/central/v1'
let counted = 0
const confirmed = { password: PASSWORD, password_confirmation: PASSWORD }

async function application({ world, perform }: Setting) {
  const { uuid } = await perform('createBetaApplication')
  const [{ id, email }] = await world.sql('SELECT id::int, email FROM beta_applications WHERE uuid = $1', [uuid])
  return { id, email }
}
async function invited(setting: Setting): Promise<Body> {
  const record = await application(setting)
  const { invite_url } = await setting.perform('inviteBetaApplication', {
    at: { params: { beta_application: record.id }, record },
  })
  return { ...record, token: new URL(invite_url).hash.slice(1) }
}
const gateway = (code: string) => ({
  record: async ({ perform }: Setting) => (await perform('listPaymentGateways')).find((one: Body) => one.code === code),
})
/** A module without code. */
const planned = { version: '1.0.0', availability: 'planned', is_default_included: false }
const role = async ({ recordOf }: Setting) => ({ role: [(await recordOf('platform_role')).name] })
const slug = () => `firm-of-examples-${++counted}`
const tenant = () => ({ body: () => ({ slug: slug(), locale: 'en', country: 'DE', logo: picture() }) })

/** Creates a workspace with a module paid by card. */
async function subscription({ world, perform }: Setting): Promise<Body> {
  const firm = await world.workspace({ modules: [] })
  const module_id = await world.billing.price('leads', 30, 300)
  await world.billing.saveCard(firm.id, 'pm_card_visa')
  return perform('createTenantModule', {
    at: { params: { id: firm.id }, record: {} },
    body: { module_id, billing_cycle: 'monthly' },
  })
}
const charged = (list: string) => ({
  async record(setting: Setting) {
    await subscription(setting)
    await setting.world.billing.runDue()
    return (await setting.perform(list))[0]
  },
})

/** Returns a mail without secrets, which can be sent again. */
async function plainMail({ world, perform }: Setting): Promise<Body> {
  await perform('sendTestMail')
  await world.drain()
  return (await perform('listEmailLogs')).find((one: Body) => /test/.test(one.notification_type))
}

export const platformRules: Rules = {
  // A module for sale: the catalogue also contains planned ones.
  createTenantModule: {
    async request({ world }) {
      const { id } = await world.workspace({ modules: [] })
      return { params: { id } }
    },
    body: async ({ world }) => ({ module_id: await world.billing.price('leads', 0, 0), billing_cycle: 'monthly' }),
  },
  [`${BASE}/console/screens`]: { record: async () => ({ key: 'users' }) },
  [`${BASE}/beta-applications`]: { record: application },
  [`${BASE}/webhook-endpoints/{id}/deliveries`]: {
    record: ({ perform, record }) => perform('testWebhookEndpoint', { at: { params: { id: record.id }, record } }),
  },
  [`${BASE}/public/beta-invites`]: { record: invited },
  resendBetaInvites: { body: async (setting) => ({ email: (await invited(setting)).email }) },
  [`${BASE}/payment-gateways`]: gateway('stripe'),
  registerWorkspace: { body: () => ({ ...confirmed, invite_token: null }) },
  createTenant: tenant(),
  updateTenant: tenant(),
  patchTenant: tenant(),
  updateSystemSettings: { body: () => ({ settings: { company_name: 'Atrium' } }) },
  createModule: { body: () => ({ key: `module-${++counted}`, ...planned }) },
  updateModule: { body: () => planned },
  patchModule: { body: () => planned },
  inviteUsers: { body: role },
  'platform createUser': { body: role },
  'platform updateUser': { body: role },
  patchUser: { body: role },
  'platform resendUserInvite': { request: async ({ perform }) => ({ params: { id: (await perform('inviteUsers')).id } }) },
  updatePaymentGatewayConfig: { body: () => ({ mode: 'sandbox', credentials: CREDENTIALS }) },
  updatePaymentGatewayMode: { body: () => ({ mode: 'sandbox' }) },
  makePaymentGatewayDefault: { after: ['enablePaymentGateway'] },
  disablePaymentGateway: {
    async request({ perform, world }) {
      const [{ id }] = await world.sql(`SELECT id::int FROM payment_gateways WHERE code <> 'stripe' LIMIT 1`)
      const at = { params: { id }, record: {} }
      await perform('enablePaymentGateway', { at })
      await perform('makePaymentGatewayDefault', { at })
      return {}
    },
  },
  changeUserPassword: { body: () => confirmed },
  [`${BASE}/module-subscriptions`]: { record: subscription },
  resumeModuleSubscription: { after: ['cancelModuleSubscription'] },
  cancelModuleSubscription: { body: () => ({ immediately: false }) },
  [`${BASE}/invoices`]: charged('listInvoices'),
  [`${BASE}/payments`]: charged('listPayments'),
  [`${BASE}/email-logs`]: { record: plainMail },
  markDomainProvisioned: {
    async request({ perform, firm }) {
      await perform('verifyBrandedDomain')
      return { params: { id: firm.id } }
    },
  },
  uploadBranding: { body: () => ({ file: picture() }) },
  [`${BASE}/system-settings/branding`]: { record: async () => ({ asset: 'logo' }) },
  [`${BASE}/impersonation`]: {
    record: async ({ perform, firm }) => perform('impersonateTenant', { at: { params: { id: firm.id }, record: {} } }),
  },
}
