/** Rules for a workspace's records: required states, and constraints between fields. */
import { dayFromStart } from '#test/days.ts'
import { SECRET_KEY, WEBHOOK_SECRET } from '#test/stand-ins/stripe.ts'
import { statementXml } from '#workspace/payments/statements/samples.ts'
import type { Setting } from '../requests.ts'
import { picture } from './account.ts'
import type { Rules } from './rule.ts'

/** Generated statements never share an entry. */
let files = 0
/** Amounts are in one column; columns of debits and credits would exclude it. */
const CSV_MAPPING = {
  ...{ encoding: 'auto', delimiter: 'semicolon', header_row: 1, decimal_sign: 'comma', date_order: 'dmy' },
  ...{ account: 'DE89370400440532013000', currency: 'EUR', booked_on_column: 'Day', amount_column: 'Amount' },
  ...{ value_date_column: null, sign_column: null, debit_column: null, credit_column: null, currency_column: null },
  ...{ account_column: null, counterparty_name_column: null, counterparty_iban_column: null, remittance_column: null },
  ...{ further_remittance_column: null, end_to_end_id_column: null, bank_reference_column: null },
}
const line = { name: 'Work', quantity: 1, unit_price: 100 }

/** Creates an unpaid invoice. */
async function unpaid({ perform }: Setting, more: object = {}) {
  const made = await perform('createInvoice', {
    fields: 'required',
    body: { contact_id: null, company_id: null, currency: 'USD', ...more, lines: [line] },
  })
  return perform('sendInvoice', { at: { params: { id: made.id }, record: made } })
}
const status = (next: string) => ({ body: () => ({ status: next }) })
/** Nobody listens there: deliveries fail. */
const hook = { body: () => ({ url: 'http://127.0.0.1:9/hook', types: [], is_active: true }) }
const toNobody = { body: () => ({ to: ['customer@example.test'], cc: [], bcc: [] }) }
const sent = (noun: string) => ({ after: [`send${noun}`] })
const invoiced = { body: (setting: Setting) => applied(setting) }

async function applied(setting: Setting) {
  const { currency, company_id, contact_id } = setting.record
  const { id } = await unpaid(setting, { currency, company_id, contact_id })
  return { invoice_id: id, amount: 1 }
}

const twoWarehouses = async ({ recordAt, recordOf }: Setting) => ({
  from_warehouse_id: (await recordOf('warehouse')).id,
  to_warehouse_id: (await recordAt('/api/tenant/v1/warehouses')).id,
})
/** Own attendance: the caller must be an active employee, who checks in themselves. */
const asEmployee = {
  async request({ world, firm }: Setting) {
    await world.sql(
      `UPDATE employees SET user_id = $2, status = 'active', deleted_at = NULL
       WHERE tenant_id = $1 AND id = (SELECT id FROM employees WHERE tenant_id = $1 ORDER BY user_id = $2 DESC NULLS LAST, id LIMIT 1)`,
      [firm.id, firm.owner.id],
    )
    await world.sql(`DELETE FROM workspace_settings WHERE tenant_id = $1 AND key = 'attendance_self_check_in'`, [firm.id])
    return { token: firm.owner.token }
  },
}
/** Neither recurring, nor a correction, nor contradictory dates. */
const once = {
  body: () => ({
    issue_date: undefined,
    delivery_period_start: undefined,
    delivery_period_end: undefined,
    corrects_invoice_id: undefined,
    is_recurring: undefined,
    recurrence_frequency: undefined,
    recurrence_next_issue_on: undefined,
    recurrence_ends_on: undefined,
    lines: [line],
  }),
}
const MONTHLY = {
  is_recurring: true,
  recurrence_frequency: 'monthly',
  recurrence_next_issue_on: dayFromStart(36_500),
  contact_id: null,
  company_id: null,
}
const signer = () => ({
  signer_name: 'Grace Hopper',
  signer_email: 'grace@hopper.test',
  signature: undefined,
  document_sha256: undefined,
})

/** Creates a document that its customer may sign; returns its link's token and its id. */
const offered =
  (noun: 'Contract' | 'Quotation') =>
  async ({ perform }: Setting) => {
    const made = await perform(`create${noun}`, { fields: 'required' })
    const at = { params: { id: made.id }, record: made }
    await perform(`send${noun}`, { at })
    const { url } = await perform(`issue${noun}Link`, { at })
    return { id: made.id, token: url.split('/').at(-1) }
  }
/** Creates an unpaid invoice with a pay link. */
async function payable(setting: Setting) {
  await setting.perform('saveBankTransfer')
  const { id } = await unpaid(setting)
  const { url } = await setting.perform('issueInvoicePayLink', { at: { params: { id }, record: {} } })
  return { id, token: url.split('/').at(-1) }
}
/** Returns the link of an accepted document. */
const signedByLink = (noun: 'Contract' | 'Quotation') => ({
  async request(setting: Setting) {
    const { token } = await offered(noun)(setting)
    await setting.perform(`acceptOffered${noun}`, { at: { params: { token }, record: {} } })
    return { params: { token } }
  },
})
const signed = (noun: 'Contract' | 'Quotation') => ({
  async request(setting: Setting) {
    const { id, token } = await offered(noun)(setting)
    await setting.perform(`acceptOffered${noun}`, { at: { params: { token }, record: {} } })
    return { params: { id } }
  },
})

const DOCUMENTS = '/api/tenant/v1/documents'
/** Creates a record for a template, with the phone number that it needs. */
async function about({ record: { context }, perform }: Setting) {
  const phone = { phone: '+44 20 7946 0000' }
  const made = await perform(`create${context[0].toUpperCase()}${context.slice(1)}`, { fields: 'required', body: phone })
  return { entity_id: made.id }
}

/** Satisfies e-invoices: both parties have a country, and the seller a VAT id. */
const asData = (noun: 'Invoice' | 'CreditNote', move: 'send' | 'issue') => ({
  async request({ perform }: Setting) {
    await perform('updateSettings', { body: { settings: { country: 'DE', vat_id: 'DE123456789' } } })
    const { id: company_id } = await perform('createCompany', { fields: 'required', body: { country: 'FR' } })
    const body = { contact_id: null, company_id, currency: 'USD', lines: [{ ...line, tax_rate: 19 }] }
    const record = await perform(`create${noun}`, { fields: 'required', body })
    await perform(`${move}${noun}`, { at: { params: { id: record.id }, record } })
    return { params: { id: record.id } }
  },
})

/** Completes queued jobs first. */
async function drained({ world }: Setting) {
  await world.drain()
  return {}
}

export const workspaceRules: Rules = {
  downloadInvoiceEInvoice: asData('Invoice', 'send'),
  downloadCreditNoteEInvoice: asData('CreditNote', 'issue'),
  '/api/tenant/v1/bulk': {
    record: async ({ perform }) => {
      const { batch_id } = await perform('bulkVendors')
      return { id: batch_id, uuid: batch_id }
    },
  },
  createImport: {
    body: () => ({
      module: 'vendors',
      template_id: undefined,
      file: new File(['Name,Email\nNordwind,nord@example.test\n,x\n'], 'vendors.csv'),
    }),
  },
  '/api/tenant/v1/imports': { record: async ({ perform, by }) => (await perform('createImport', { by })).import },
  updateImport: { body: () => ({ mapping: { name: 'Name', email: 'Email' }, decimal_sign: ',', group_sign: '.' }) },
  updateImportTable: { body: () => ({ sheet: undefined, header_row: 1 }) },
  createImportTemplate: { body: () => ({ module: 'vendors', mapping: { name: 'Name' }, decimal_sign: ',', group_sign: '.' }) },
  updateImportTemplate: { body: () => ({ mapping: { name: 'Name' }, decimal_sign: ',', group_sign: '.' }) },
  previewImport: { after: ['updateImport'] },
  runImport: { after: ['updateImport'] },
  undoImport: { after: ['updateImport', 'runImport'], request: drained },
  downloadImportFailedRecords: { after: ['updateImport', 'runImport'], request: drained },
  updateSettings: { body: () => ({ settings: { company_phone: '+49 30 1' } }) },
  updateDocumentTexts: { request: async () => ({ params: { language: 'de' } }), body: () => ({ kind_invoice: 'Honorarnote' }) },
  changeAssetStatus: status('in_repair'),
  changeContractStatus: status('sent'),
  changeExpenseStatus: status('approved'),
  changeInvoiceStatus: status('unpaid'),
  changeProjectStatus: status('active'),
  changePurchaseOrderStatus: status('sent'),
  changeTaskStatus: status('in_progress'),
  acceptContract: sent('Contract'),
  emailContract: { ...sent('Contract'), ...toNobody },
  emailInvoice: { ...sent('Invoice'), ...toNobody },
  remindOfInvoice: {
    ...toNobody,
    async request(setting) {
      return { params: { id: (await unpaid(setting)).id } }
    },
  },
  createReminderPlan: { body: () => ({ is_active: false }) },
  emailEstimate: { ...sent('Estimate'), ...toNobody },
  emailQuotation: { ...sent('Quotation'), ...toNobody },
  emailPurchaseOrder: { ...sent('PurchaseOrder'), ...toNobody },
  issueContractLink: sent('Contract'),
  issueQuotationLink: sent('Quotation'),
  invoiceContract: { after: ['sendContract', 'acceptContract'] },
  acceptEstimate: sent('Estimate'),
  declineEstimate: sent('Estimate'),
  expireEstimate: sent('Estimate'),
  convertEstimate: { after: ['sendEstimate', 'acceptEstimate'] },
  acceptQuotation: sent('Quotation'),
  rejectQuotation: sent('Quotation'),
  expireQuotation: sent('Quotation'),
  convertQuotation: { after: ['sendQuotation', 'acceptQuotation'] },
  voidInvoice: sent('Invoice'),
  convertPurchaseOrder: { after: ['sendPurchaseOrder', 'receivePurchaseOrder'] },
  receivePurchaseOrder: { ...sent('PurchaseOrder'), body: () => ({ status: 'received' }) },
  applyCreditNote: { after: ['issueCreditNote'], ...invoiced },
  unapplyCreditNote: {
    after: ['issueCreditNote'],
    async body(setting) {
      const body = await applied(setting)
      await setting.perform('applyCreditNote', { at: { params: setting.params, record: setting.record }, body })
      return { invoice_id: body.invoice_id }
    },
  },
  voidCreditNote: { after: ['issueCreditNote'] },
  deletePayment: { after: ['voidPayment'] },
  allocatePayment: { body: async (setting) => ({ allocations: [await applied(setting)] }) },
  updatePayment: { body: () => ({ amount: undefined, currency: undefined, method: undefined }) },
  downloadPurchaseOrderPdf: sent('PurchaseOrder'),
  stopInvoiceRecurrence: {
    async request({ perform }) {
      const record = await perform('createInvoice', { fields: 'required', body: { ...MONTHLY, lines: [line] } })
      await perform('sendInvoice', { at: { params: { id: record.id }, record } })
      return { params: { id: record.id } }
    },
  },
  completeInventoryTransfer: { after: ['dispatchInventoryTransfer'] },
  previewNewInvoice: once,
  previewInvoice: once,
  previewNewCreditNote: once,
  previewCreditNote: once,
  createCreditNote: { body: () => ({ lines: [line] }) },
  updateInventoryTransfer: { body: twoWarehouses },
  createInventoryTransfer: { body: twoWarehouses },
  checkIn: {
    // Deletes today's check-ins of the demo data.
    async request({ world, firm }) {
      await world.sql(
        `UPDATE attendance_records SET deleted_at = $3 WHERE tenant_id = $1 AND date > $4
           AND employee_id IN (SELECT id FROM employees WHERE tenant_id = $1 AND user_id = $2)`,
        [firm.id, firm.owner.id, world.clock.now(), dayFromStart(-2)],
      )
      return {}
    },
    body: () => ({ reason_id: null }),
  },
  listMyAttendance: asEmployee,
  listOfferedAttendanceReasons: asEmployee,
  checkOut: {
    async request({ perform }) {
      await perform('checkIn')
      return {}
    },
    // No break fits in the second in between.
    body: () => ({ reason_id: null, break_minutes: 0 }),
  },
  createUser: { body: () => ({ employee_id: null }) },
  updateUser: { body: () => ({ employee_id: null }) },
  createEmployeeOfUser: { request: async ({ firm }) => ({ params: { id: (await firm.user([])).id } }) },
  resendUserInvite: {
    request: async ({ perform }) => ({ params: { id: (await perform('createUser', { fields: 'required' })).id } }),
  },
  claimBrandedDomain: { body: ({ firm }) => ({ domain: `crm.${firm.slug}.example` }) },
  verifyBrandedDomain: {
    async request({ perform, world }) {
      const { instructions } = await perform('claimBrandedDomain')
      world.dns.zone
        .set(`TXT ${instructions.txt_name}`, [instructions.txt_value])
        .set(`A ${instructions.hostname}`, ['203.0.113.7'])
      return {}
    },
  },
  deleteBrandedDomain: {
    async request({ perform }) {
      await perform('claimBrandedDomain')
      return {}
    },
  },
  authorizeBroadcasting: {
    body: ({ firm, by }) => ({ socket_id: '1.2', channel_name: `private-tenant.${firm.id}.user.${by.id}` }),
  },
  registerFcmDeviceToken: { body: () => ({ token: 'device-token-of-examples' }) },
  unregisterFcmDeviceToken: { body: () => ({ token: 'device-token-of-examples' }) },
  '/api/tenant/v1/public/contracts/accept': { record: offered('Contract') },
  '/api/tenant/v1/public/quotations/accept': { record: offered('Quotation') },
  downloadSignedContract: signedByLink('Contract'),
  downloadSignedQuotation: signedByLink('Quotation'),
  issueInvoicePayLink: {
    async request(setting) {
      await setting.perform('saveBankTransfer')
      return { params: { id: (await unpaid(setting)).id } }
    },
  },
  '/pay/invoices': { record: payable },
  // Without a provider the reply is the page; with one it redirects.
  payInvoiceByLink: {
    body: () => ({ amount: undefined }),
    async request({ perform }) {
      await perform('saveStripeMethod', { body: { is_enabled: false } })
      return {}
    },
  },
  '/accept/contracts': { record: offered('Contract') },
  '/accept/quotations': { record: offered('Quotation') },
  acceptOfferedContract: { body: signer },
  acceptOfferedQuotation: { body: signer },
  uploadLogo: { body: () => ({ file: picture() }) },
  downloadContractSignedDocument: signed('Contract'),
  downloadQuotationSignedDocument: signed('Quotation'),
  downloadInvoiceIssuedDocument: sent('Invoice'),
  downloadCreditNoteIssuedDocument: { after: ['issueCreditNote'] },
  downloadQuotationIssuedDocument: sent('Quotation'),
  downloadEstimateIssuedDocument: sent('Estimate'),
  downloadContractIssuedDocument: sent('Contract'),
  downloadPurchaseOrderIssuedDocument: sent('PurchaseOrder'),
  '/api/tenant/v1/user-impersonation': {
    record: async ({ perform, firm }) => {
      const user = await firm.user([])
      return perform('impersonateUser', { at: { params: { user: user.id }, record: {} } })
    },
  },
  bulkDeleteDocuments: { body: async ({ recordAt }) => ({ ids: [(await recordAt(DOCUMENTS)).id] }) },
  bulkForceDeleteDocuments: {
    async body({ recordAt, perform }) {
      const record = await recordAt(DOCUMENTS)
      await perform('deleteDocument', { at: { params: { id: record.id }, record } })
      return { ids: [record.id] }
    },
  },
  '/api/tenant/v1/console/screens': { record: async () => ({ key: 'users' }) },
  readBankStatements: {
    body: () => ({
      mapping_id: undefined,
      file: new File([statementXml({ id: `S-${++files}`, day: '2026-11-20', entries: [{ amount: '10.00' }] })], 'camt053.xml'),
    }),
  },
  createBankCsvMapping: { body: () => ({ ...CSV_MAPPING, name: `Bank ${++files}` }) },
  updateBankCsvMapping: { body: () => CSV_MAPPING },
  previewBankCsv: { body: () => ({ file: new File(['Day;Amount\n20.11.2026;10,00\n'], 'bank.csv') }) },
  '/api/tenant/v1/bank-statements': {
    record: async ({ perform, by }) => (await perform('readBankStatements', { by })).statements[0],
  },
  '/api/tenant/v1/bank-transactions': {
    async record({ perform, by }) {
      await perform('readBankStatements', { by })
      return (await perform('listBankTransactions', { by }))[0]
    },
  },
  matchBankTransaction: { body: () => ({ allocations: [], payment_id: undefined }) },
  unmatchBankTransaction: { after: ['matchBankTransaction'] },
  reopenBankTransaction: { after: ['ignoreBankTransaction'] },
  reopenIncomingInvoice: { after: ['closeIncomingInvoice'] },
  callMcp: { body: () => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }) },
  createWebhookEndpoint: hook,
  updateWebhookEndpoint: hook,
  replayWebhookEndpoint: { body: () => ({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', types: [] }) },
  '/api/tenant/v1/webhook-endpoints/{id}/deliveries': {
    record: ({ perform, record }) => perform('testWebhookEndpoint', { at: { params: { id: record.id }, record } }),
  },
  previewCommunicationTemplate: { body: about },
  renderCommunicationTemplate: { body: about },
  createPayment: { body: () => ({ contact_id: null, company_id: null, amount: 100 }) },
  saveBankTransfer: {
    body: () => ({ is_enabled: true, account_holder: 'Nordwind GmbH', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' }),
  },
  saveStripeMethod: { body: () => ({ is_enabled: true, secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET }) },
}
