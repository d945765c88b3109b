/** Mailbox of a hundred thousand messages, and one of ten thousand that is read from Dovecot. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { noDovecot, startDovecot } from '../../test/dovecot.ts'
import { letter, PASSWORD } from '../../test/mailboxes.ts'
import type { Case, Filled, Suite } from '../prepare.ts'

const email = '/api/tenant/v1/email'
const MOST = 100_000
const TO_READ = 10_000
let firm: Filled

export default {
  title: 'E-mail',
  async cases({ services, workspace, ask, caseOf, inside }, records): Promise<Case[]> {
    firm = await workspace(300)
    const { token } = firm
    const own = Math.min(records, MOST)
    await inside(firm.id, (ctx) => fillInbox(ctx, own))
    await services.database.statement('VACUUM (ANALYZE)', [])
    const [{ uuid: account }] = (await ask(token, `${email}/accounts`)).json().data
    const folders = (await ask(token, `${email}/accounts/${account}/folders`)).json().data
    const { uuid: inbox } = folders.find(({ type }: { type: string }) => type === 'inbox')
    const among = own.toLocaleString('en')
    return [
      await caseOf('list', `list of 25 of a folder among ${among}`, token, `${email}/folders/${inbox}/messages`),
      await caseOf('search', 'search by two words', token, `${email}/accounts/${account}/messages/search?q=letter%20777`),
      await caseOf('folders', 'folders with their counts', token, `${email}/accounts/${account}/folders`),
    ]
  },
  async figures(_, base) {
    const skip = noDovecot()
    return [[`first synchronisation of ${TO_READ.toLocaleString('en')} messages`, skip ?? (await readAll(base, firm.token))]]
  },
} satisfies Suite

/** Inserts messages into the demo's inbox, a minute apart. */
export const fillInbox = (ctx: Ctx, count: number) =>
  sql`
    insert into email_messages (tenant_id, account_id, folder_id, remote_folder_id, uid, status, message_id, thread_key, subject, "from", "to",
      date, size_bytes, is_read, snippet, body_html, body_text, created_at, updated_at)
    select ${ctx.tenant.id}, f.account_id, f.id, f.id, 1000000 + n, 'received', '<bench-' || n || '@x.test>', '<bench-' || n / 4 || '@x.test>',
      'Letter ' || n, jsonb_build_object('email', 'ann' || n % 500 || '@x.test', 'name', 'Ann ' || n % 500), '[{"email": "bob@firm.test", "name": null}]',
      ${ctx.now}::timestamptz - n * interval '1 minute', 4000, n % 5 > 0, 'What is in letter ' || n, '', 'What is in letter ' || n, ${ctx.now}, ${ctx.now}
    from email_folders f, generate_series(1, ${count}::int) n where f.tenant_id = ${ctx.tenant.id} and f.type = 'inbox'`.execute(
    ctx.tx,
  )

async function readAll(base: string, token: string) {
  const dovecot = await startDovecot()
  try {
    dovecot.deliver(
      'bench',
      'INBOX',
      Array.from({ length: TO_READ }, (_, n) => letter(n)),
    )
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const server = (side: string) => ({
      ...{ [`${side}_host`]: '127.0.0.1', [`${side}_port`]: dovecot.port, [`${side}_encryption`]: 'none' },
      ...{ [`${side}_username`]: 'bench', [`${side}_password`]: PASSWORD },
    })
    const body = JSON.stringify({ email_address: 'bench@firm.test', ...server('imap'), ...server('smtp') })
    const began = performance.now()
    const made = ((await (await fetch(`${base}${email}/accounts`, { method: 'POST', headers, body })).json()) as any).data
    for (;;) {
      await sleep(50)
      const { last_synced_at, last_error, counts } = (
        (await (await fetch(`${base}${email}/accounts/${made.uuid}`, { headers })).json()) as any
      ).data
      if (last_error) throw new Error(last_error)
      if (!last_synced_at) continue
      const seconds = (performance.now() - began) / 1000
      if (counts.here !== TO_READ) throw new Error(`Only ${counts.here} are here`)
      return `${Math.round(TO_READ / seconds).toLocaleString('en')} messages a second`
    }
  } finally {
    await dovecot.stop()
  }
}
