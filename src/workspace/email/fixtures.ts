/** The mailbox of whoever looks at the demo: read and answered letters, a draft, templates and a signature. It has no server, and is not synchronised. */
import type { Ctx } from '#kernel/context.ts'
import { defineDemo, foundedAt, insertRows, type Plan } from '#kernel/modules/demo.ts'
import { sealPassword } from './connections/credentials.ts'

const NEVER = '2100-01-01T00:00:00Z'
const ADDRESS = 'office@northwind-trading.example'
const subjects = [
  'Delivery on Thursday',
  'Question about the invoice',
  'New price list',
  'Meeting next week',
  'Order confirmation',
  'Samples of the season',
]
const texts = [
  'Could you let me know by tomorrow?',
  'Thank you, that works for us.',
  'Please find the details below.',
  'We look forward to it.',
]

export default defineDemo({
  async fill(ctx, plan) {
    const owner = plan.people[0]!
    const account_id = await makeAccount(ctx, owner.id)
    const stamps = { created_at: ctx.now, updated_at: ctx.now }
    const folders = await insertRows(
      ctx,
      'email_folders',
      (['inbox', 'sent', 'drafts', 'archive', 'trash'] as const).map((type) => ({
        ...{ account_id, type, name: type === 'inbox' ? 'INBOX' : `${type[0]!.toUpperCase()}${type.slice(1)}` },
        ...{ remote_path: type === 'drafts' ? null : type, uid_validity: type === 'drafts' ? null : 1, ...stamps },
      })),
    )
    const count = plan.share(1 / 20, { least: 20, most: 5000 })
    await insertRows(ctx, 'email_messages', lettersOf(plan, { account_id, folders, count }))
    await insertRows(
      ctx,
      'email_labels',
      [
        { name: 'To answer', color: '#D97706' },
        { name: 'Suppliers', color: '#2563EB' },
      ].map((label) => ({ ...label, account_id, ...stamps })),
    )
    await insertRows(ctx, 'email_templates', [
      {
        user_id: owner.id,
        name: 'Thank you for your order',
        category: 'Sales',
        subject: 'Your order {{number}}',
        ...body('Dear {{name}}, thank you for your order.', ['number', 'name']),
        ...stamps,
      },
      {
        user_id: owner.id,
        name: 'Payment reminder',
        category: 'Accounts',
        subject: 'Invoice {{number}}',
        ...body('Dear {{name}}, our invoice {{number}} is still open.', ['number', 'name']),
        ...stamps,
      },
    ])
    await insertRows(ctx, 'email_signatures', [
      {
        user_id: owner.id,
        account_id,
        name: 'Office',
        body_html: `<p>${owner.name}<br>Northwind Trading</p>`,
        body_text: null,
        is_default: true,
        ...stamps,
      },
    ])
    return count
  },
})

const body = (text: string, variables: string[]) => ({ body_html: `<p>${text}</p>`, variables })

async function makeAccount(ctx: Ctx, user_id: number) {
  const server = {
    host: 'mail.northwind-trading.example',
    encryption: 'ssl',
    username: ADDRESS,
    password: sealPassword(ctx.services, 'demo'),
  } as const
  const { id } = await ctx.tx
    .insertInto('email_accounts')
    .values({
      ...{ tenant_id: ctx.tenant.id, user_id, email_address: ADDRESS, from_name: 'Northwind Trading', is_default: true },
      ...{
        imap_host: server.host,
        imap_port: 993,
        imap_encryption: server.encryption,
        imap_username: server.username,
        imap_password: server.password,
      },
      ...{
        smtp_host: server.host,
        smtp_port: 465,
        smtp_encryption: server.encryption,
        smtp_username: server.username,
        smtp_password: server.password,
      },
      ...{ next_sync_at: NEVER, created_at: ctx.now, updated_at: ctx.now },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Every third is answered; answers lie in Sent, in the thread of what they answer. */
function lettersOf(plan: Plan, { account_id, folders, count }: { account_id: number; folders: number[]; count: number }) {
  const { faker, random } = plan
  const [inbox, sent] = folders as [number, number]
  const us = { email: ADDRESS, name: 'Northwind Trading' }
  return Array.from({ length: count }, (_, n) => {
    const them = { email: faker.internet.exampleEmail().toLowerCase(), name: faker.person.fullName() }
    const isAnswer = n % 3 === 2
    const date = foundedAt(plan, n, count)
    const text = random.pick(texts)
    const thread_key = `<demo-${isAnswer ? n - 1 : n}@northwind-trading.example>`
    return {
      ...{ account_id, folder_id: isAnswer ? sent : inbox, remote_folder_id: isAnswer ? sent : inbox, uid: n + 1 },
      ...{ status: 'received' as const, message_id: `<demo-${n}@northwind-trading.example>`, thread_key },
      ...{ subject: `${isAnswer ? 'Re: ' : ''}${random.pick(subjects)}`, from: isAnswer ? us : them, to: [isAnswer ? them : us] },
      ...{
        date,
        is_read: isAnswer || random.happens(0.8),
        is_starred: random.happens(0.1),
        size_bytes: 2000 + random.whole(0, 9000),
      },
      ...{ snippet: text, body_html: `<p>${text}</p>`, body_text: text, created_at: date, updated_at: date },
    }
  })
}
