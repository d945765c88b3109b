/** Rules for mailboxes, on the test's mail servers. */

import type { Workspace } from '../../harness.ts'
import { clientOf, letter, PASSWORD } from '../../mailboxes.ts'
import type { Body, Setting } from '../requests.ts'
import type { Rule, Rules } from './rule.ts'

const BASE = '/api/tenant/v1/email'
let users = 0

/** Returns the credentials of an existing mailbox. */
function mailbox({ world: { mailbox } }: Setting) {
  const username = `user${++users}`
  const server = { host: '127.0.0.1', encryption: 'none', username, password: PASSWORD }
  const of = (side: 'imap' | 'smtp') =>
    Object.fromEntries(Object.entries({ ...server, port: mailbox[side] }).map(([name, value]) => [`${side}_${name}`, value]))
  return { email_address: `${username}@firm.test`, ...of('imap'), ...of('smtp') }
}

interface Mailbox {
  account: Body
  inbox: Body
  /** Unused messages. */
  messages: Body[]
}
/** By workspace object: test files in one process have worlds with equal ids. */
const mailboxes = new WeakMap<Workspace, Promise<Mailbox>>()

/** Returns the workspace's mailbox, created once, with synchronised messages with attachments. */
function mailboxOf(setting: Setting): Promise<Mailbox> {
  if (!mailboxes.has(setting.firm)) mailboxes.set(setting.firm, synchronised(setting))
  return mailboxes.get(setting.firm)!
}

/** Returns an unused message, from a new mailbox when the former's are used up. */
async function nextMessage(setting: Setting): Promise<Body> {
  const { messages } = await mailboxOf(setting)
  if (!messages.length) mailboxes.delete(setting.firm)
  return messages.shift() ?? nextMessage(setting)
}

async function synchronised(setting: Setting): Promise<Mailbox> {
  const { world, perform, by } = setting
  const body = mailbox(setting)
  const client = await clientOf(world.mailbox.imap, body.email_address.split('@')[0]!)
  for (let n = 1; n <= LETTERS; n++) await client.append('INBOX', letter(n, { head: MIXED, body: WITH_FILE }))
  await client.logout()
  const account = await perform('createEmailAccount', { by, fields: 'required', body })
  const at = { params: { uuid: account.uuid }, record: account }
  await perform('syncEmailAccount', { by, at })
  await world.drain()
  const inbox = (await perform('listEmailAccountFolders', { by, at })).find(({ type }: Body) => type === 'inbox')
  const messages = await perform('listEmailFolderMessages', { by, at: { params: { uuid: inbox.uuid }, record: inbox } })
  return { account, inbox, messages }
}
const LETTERS = 20
const MIXED = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="part"'
const WITH_FILE = ['--part', 'Content-Type: text/plain', '', 'See the file.', '--part', 'Content-Type: text/plain; name="a.txt"']
  .concat(['Content-Disposition: attachment; filename="a.txt"', '', 'A file', '--part--', ''])
  .join('\r\n')

const draft = async ({ perform, recordOf, by }: Setting) =>
  perform('composeEmailMessage', {
    by,
    fields: 'required',
    body: {
      account_uuid: (await recordOf('email_account')).uuid,
      to: [{ email: 'customer@example.test' }],
      subject: 'Offer',
      body_html: '<p>Hello</p>',
    },
  })
const ofDraft: Rule = {
  async request(setting) {
    const record = await draft(setting)
    return { params: { uuid: record.uuid } }
  },
}
const file = () => new File(['What is attached'], 'attached.txt')
const label = async ({ perform, by }: Setting, account_uuid: string) =>
  perform('createEmailAccountLabel', { by, fields: 'required', at: { params: { uuid: account_uuid }, record: {} } })

export const emailRules: Rules = {
  createEmailAccount: { body: mailbox },
  updateEmailAccount: { body: mailbox },
  testEmailAccount: { body: mailbox },
  [`${BASE}/folders`]: { record: async (setting) => (await mailboxOf(setting)).inbox },
  [`${BASE}/messages`]: { record: nextMessage },
  [`${BASE}/messages/{uuid}/attachments`]: {
    async record({ perform, params, record, by }) {
      const { attachments } = await perform('showEmailMessage', { by, at: { params, record } })
      return { key: attachments[0].id }
    },
  },
  [`${BASE}/labels`]: { record: async (setting) => label(setting, (await setting.recordOf('email_account')).uuid) },
  searchEmailMessages: { query: { q: 'file' } },
  updateEmailMessageLabels: {
    body: async (setting) => ({ label_uuids: [(await label(setting, setting.record.account_uuid)).uuid] }),
  },
  composeEmailMessage: { body: async ({ recordOf }) => ({ account_uuid: (await recordOf('email_account')).uuid }) },
  changeEmailMessages: {
    body: async ({ recordAt }) => ({
      message_uuids: [(await recordAt(`${BASE}/messages`)).uuid],
      action: 'flags',
      is_read: true,
    }),
  },
  addEmailAttachment: { ...ofDraft, body: () => ({ document_id: undefined, file: file() }) },
  removeEmailAttachment: {
    async request({ perform, by }) {
      const { uuid, attachments } = await perform('addEmailAttachment', { by })
      return { params: { uuid, key: attachments[0].id } }
    },
  },
  updateEmailMessage: ofDraft,
  sendEmailMessage: ofDraft,
  linkEmailMessage: { body: async ({ recordOf }) => ({ linkable_type: 'lead', linkable_id: (await recordOf('lead')).id }) },
  deleteEmailMessageLink: {
    async body({ perform, params, record }) {
      const { links } = await perform('linkEmailMessage', { at: { params, record } })
      const [{ linkable_type, linkable_id }] = links
      return { linkable_type, linkable_id }
    },
  },
}
