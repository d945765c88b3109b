/**
 * Demo mailbox of the user who opens the demo: read and answered mails, a draft, templates and a signature. It has no server and
 * is not synchronised.
 */
import type { Ctx } from '#kernel/context.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { recordsOf } from '#kernel/demo/stories.ts'
import { insertAll, insertRows } from '#kernel/records/many-rows.ts'
import { sealPassword } from '../connections/credentials.ts'
import { letters, templates } from './letters.ts'

const NEVER = '2100-01-01T00:00:00Z'
const FOLDERS = ['inbox', 'sent', 'drafts', 'archive', 'trash'] as const
const folderNames = {
  en: ['INBOX', 'Sent', 'Drafts', 'Archive', 'Trash'],
  de: ['INBOX', 'Gesendet', 'Entwürfe', 'Archiv', 'Papierkorb'],
}
const labels = { en: ['To answer', 'Suppliers'], de: ['Zu beantworten', 'Lieferanten'] }
const COLORS = ['#D97706', '#2563EB']

export default defineDemo({
  async fill(ctx, plan) {
    const owner = plan.people[0]!
    const address = await addressOf(ctx)
    const stamps = { created_at: ctx.now, updated_at: ctx.now }
    const account_id = await makeAccount(ctx, owner.id, address)
    const folders = await insertRows(
      ctx,
      'email_folders',
      FOLDERS.map((type, n) => ({
        ...{ account_id, type, name: plan.say(folderNames)[n]! },
        ...{ remote_path: type === 'drafts' ? null : type, uid_validity: type === 'drafts' ? null : 1, ...stamps },
      })),
    )
    const writers = await recordsOf(ctx, 'contacts', 'name', 'email')
    const count = plan.share(1 / 8, { least: 30, most: 5000 })
    const drawn = lettersOf(plan, { account_id, folders, count, us: { email: address, name: ctx.tenant.name }, writers })
    const ids = await insertRows(
      ctx,
      'email_messages',
      drawn.map(({ row }) => row),
    )
    await insertRows(ctx, 'email_messages', [
      draftOf(plan, { account_id, folders, us: { email: address, name: ctx.tenant.name } }),
    ])
    const links = drawn.flatMap(({ writer, row }, n) =>
      writer ? [{ message_id: ids[n]!, linkable_type: 'contact' as const, linkable_id: writer, created_at: row.date }] : [],
    )
    await insertAll(ctx, 'email_message_links', links)
    await labelSome(ctx, plan, account_id, ids)
    await insertAll(ctx, 'email_quarantine', [
      { folder_id: folders[0]!, uid: count + 7, reason: 'Its headers can’t be read.', created_at: ctx.now },
    ])
    await insertRows(
      ctx,
      'email_templates',
      plan
        .say(templates)
        .map((template) => ({ ...template, user_id: owner.id, variables: template.variables as never, ...stamps })),
    )
    await insertRows(ctx, 'email_signatures', [
      {
        ...{ user_id: owner.id, account_id, name: plan.say({ en: 'Office', de: 'Büro' }), body_text: null, is_default: true },
        ...{ body_html: `<p>${owner.name}<br>${ctx.tenant.name}</p>`, ...stamps },
      },
    ])
    return count
  },
})

async function addressOf(ctx: Ctx) {
  const { email } = await ctx.tx.selectFrom('tenants').select('email').where('id', '=', ctx.tenant.id).executeTakeFirstOrThrow()
  return `office@${email.split('@')[1]}`
}

async function makeAccount(ctx: Ctx, user_id: number, address: string) {
  const host = `mail.${address.split('@')[1]}`
  const password = sealPassword(ctx.services, 'demo')
  const { id } = await ctx.tx
    .insertInto('email_accounts')
    .values({
      ...{ tenant_id: ctx.tenant.id, user_id, email_address: address, from_name: ctx.tenant.name, is_default: true },
      ...{ imap_host: host, imap_port: 993, imap_encryption: 'ssl', imap_username: address, imap_password: password },
      ...{ smtp_host: host, smtp_port: 465, smtp_encryption: 'ssl', smtp_username: address, smtp_password: password },
      ...{ next_sync_at: NEVER, created_at: ctx.now, updated_at: ctx.now },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

interface Address {
  email: string
  name: string
}
interface Box {
  account_id: number
  folders: number[]
  us: Address
}

const EMPTY = { attachments: [] as never, cc: [] as never, status: 'received' as const }

/** Every third mail is an answer in Sent, in the thread of its original; of the others, some are in the archive or the trash. */
function lettersOf(
  plan: Plan,
  {
    account_id,
    folders,
    count,
    us,
    writers,
  }: Box & { count: number; writers: { id: number; name: string; email: string | null }[] },
) {
  const { random, calendar } = plan
  const [inbox, sent, , archive, trash] = folders as [number, number, number, number, number]
  const domain = us.email.split('@')[1]
  let before: { them: Address; writer: number | null; letter: (typeof letters.en)[number] } | undefined
  return Array.from({ length: count }, (_, n) => {
    const isAnswer = n % 3 === 2
    const from = writers.length ? random.pick(writers) : undefined
    const asked = {
      them: { email: from?.email ?? 'customer@mail.example', name: from?.name ?? 'A customer' },
      writer: from?.id ?? null,
      letter: random.pick(plan.say(letters)),
    }
    const { them, writer, letter } = isAnswer && before ? before : asked
    before = { them, writer, letter }
    const date = calendar.instant(((n + random.next()) / count) * calendar.days)!
    const at = isAnswer ? (calendar.instant(calendar.dayOf(date) + 0.05) ?? date) : date
    const text = isAnswer ? letter.answer : letter.text
    const folder_id = isAnswer ? sent : n % 10 === 4 ? archive : n % 15 === 7 ? trash : inbox
    const thread = isAnswer ? n - 1 : n
    return {
      writer,
      row: {
        ...EMPTY,
        ...{ account_id, folder_id, remote_folder_id: folder_id, uid: n + 1 },
        ...{ message_id: `<demo-${n}@${domain}>`, thread_key: `<demo-${thread}@${domain}>` },
        ...{ subject: `${isAnswer ? 'Re: ' : ''}${letter.subject}`, from: (isAnswer ? us : them) as never },
        ...{ to: [isAnswer ? them : us] as never, date: at, is_read: isAnswer || n < count - 6 || random.happens(0.3) },
        ...{ is_starred: random.happens(0.1), size_bytes: 2000 + random.whole(0, 9000), snippet: text },
        ...{ body_html: `<p>${text}</p>`, body_text: text, created_at: at, updated_at: at },
      },
    }
  })
}

function draftOf({ calendar, say }: Plan, { account_id, folders, us }: Box) {
  const at = calendar.instant(calendar.days - 0.2) ?? calendar.instant(0)!
  const text = say({ en: 'Good morning, here is what we talked about:', de: 'Guten Morgen, wie besprochen:' })
  return {
    ...EMPTY,
    ...{ account_id, folder_id: folders[2]!, remote_folder_id: folders[2]!, uid: null, status: 'draft' as const },
    ...{ message_id: `<draft@${us.email.split('@')[1]}>`, thread_key: `<draft@${us.email.split('@')[1]}>` },
    ...{ subject: say({ en: 'Prices for spring', de: 'Preise ab dem Frühjahr' }), from: us as never, to: [] as never, date: at },
    ...{ is_read: true, is_starred: false, size_bytes: 800, snippet: text, body_html: `<p>${text}</p>`, body_text: text },
    ...{ created_at: at, updated_at: at },
  }
}

async function labelSome(ctx: Ctx, { say }: Plan, account_id: number, messageIds: number[]) {
  const stamps = { created_at: ctx.now, updated_at: ctx.now }
  const ids = await insertRows(
    ctx,
    'email_labels',
    say(labels).map((name, n) => ({ ...{ account_id, name, color: COLORS[n]!, sort_order: n }, ...stamps })),
  )
  const labelled = messageIds.filter((_, n) => n % 5 === 0)
  await insertAll(
    ctx,
    'email_message_labels',
    labelled.map((message_id, n) => ({ message_id, label_id: ids[n % ids.length]! })),
  )
}
