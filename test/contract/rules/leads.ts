/** Rules for leads: imports, integrations, follow-ups. */
import { createHmac } from 'node:crypto'
import { APP_SECRET, VERIFY_TOKEN } from '#test/stand-ins/graph.ts'
import type { Setting } from '../requests.ts'
import type { Rule, Rules } from './rule.ts'

const IMPORTS = '/api/tenant/v1/leads/imports'
const file = () => new File(['Name,Email\nAda,ada@example.test\n,\n'], 'leads.csv', { type: 'text/csv' })
const mapping = { name: 'Name', email: 'Email' }

/** Connects the workspace to the ad platform by a grant of its owner. */
async function connect({ world, perform, by }: Setting) {
  const { url } = await perform('beginSocialAdsGrant', { by })
  const state = new URL(url).searchParams.get('state')!
  await world.root.get('/api/oauth/leads/social-ads/callback', { query: { state, code: 'good-code' } })
}
const connected: Rule = {
  async request(setting) {
    await connect(setting)
    return {}
  },
}

/** Returns an eligible assignee: not the owner. */
const colleague = async ({ firm }: Setting) => (await firm.user(['leads.view'])).id

async function drained({ world }: Setting) {
  await world.drain()
  return {}
}

export const leadRules: Rules = {
  createLeadImport: { body: () => ({ file: file() }) },
  [IMPORTS]: { record: async ({ perform, by }) => (await perform('createLeadImport', { by })).import },
  updateLeadImport: { body: () => ({ mapping, decimal_sign: '.', group_sign: ',' }) },
  updateLeadImportTable: { body: () => ({ sheet: undefined, header_row: 1 }) },
  previewLeadImport: { after: ['updateLeadImport'] },
  runLeadImport: { after: ['updateLeadImport'] },
  undoLeadImport: { after: ['updateLeadImport', 'runLeadImport'], request: drained },
  downloadLeadImportFailedRecords: { after: ['updateLeadImport', 'runLeadImport'], request: drained },
  bulkAssignLeads: {
    body: async (setting) => ({ ids: [(await setting.recordOf('lead')).id], assigned_to: await colleague(setting) }),
  },
  assignLead: { body: async (setting) => ({ assigned_to: await colleague(setting) }) },
  reorderLeadTags: {
    body: async ({ perform }) => ({ ordered_ids: (await perform('listLeadTags')).map(({ id }: { id: number }) => id) }),
  },
  moveLead: { body: async ({ perform }) => ({ stage_id: (await perform('listLeadStages'))[0].id }) },
  chooseSocialAdsPages: {
    async body(setting) {
      await connect(setting)
      return { page_ids: ['101'] }
    },
  },
  listLeadSocialAdPages: connected,
  disconnectLeadSocialAds: connected,
  patchLeadSocialAds: connected,
  '/api/tenant/v1/leads/integrations/webhooks': {
    record: async ({ perform, by }) => {
      const made = await perform('createLeadWebhook', { by, fields: 'required' })
      return { ...made, ...made.endpoint }
    },
  },
}
leadRules['/webhooks/leads/custom'] = leadRules['/api/tenant/v1/webhooks/leads/custom'] =
  leadRules['/api/tenant/v1/leads/integrations/webhooks']!
leadRules.receiveLead = {
  async request({ recordAt }) {
    const { uuid, api_key } = await recordAt('/api/tenant/v1/leads/integrations/webhooks')
    const lead = { name: 'Grace Hopper', email: 'grace@hopper.test' }
    return { params: { uuid }, token: api_key, raw: JSON.stringify(lead), headers: { 'content-type': 'application/json' } }
  },
}
leadRules.verifySocialAds = { query: { 'hub.mode': 'subscribe', 'hub.verify_token': VERIFY_TOKEN, 'hub.challenge': '7' } }
leadRules.receiveSocialAds = {
  request() {
    const text = JSON.stringify({ object: 'page', entry: [] })
    const signature = createHmac('sha256', APP_SECRET).update(text).digest('hex')
    return { raw: text, headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` } }
  },
}
