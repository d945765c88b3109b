/** Threads: by References, then by In-Reply-To. A thread's key is the Message-ID that it begins with, as far as that is known. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import type { Head } from './reading.ts'

/**
 * The thread of each message, by its Message-ID. Where one turns out to join two threads, because answers came before what they answer,
 * the stored ones of the later thread are laid to the other.
 */
export async function threadsOf(ctx: Ctx, accountId: number, heads: Head[]): Promise<Map<string, string>> {
  const named = [
    ...new Set(
      heads.flatMap(({ message_id, reference_ids, in_reply_to }) => [
        message_id,
        ...reference_ids,
        ...(in_reply_to ? [in_reply_to] : []),
      ]),
    ),
  ]
  const stored = await ctx.tx
    .selectFrom('email_messages')
    .select(['message_id', 'thread_key'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('account_id', '=', accountId)
    .where('message_id', '=', sql<string>`any(${named})`)
    .execute()
  const keys = new Map(stored.map(({ message_id, thread_key }) => [message_id, thread_key]))
  const joined = new Map<string, string>()
  const current = (key: string): string => (joined.has(key) ? current(joined.get(key)!) : key)
  for (const { message_id, reference_ids, in_reply_to } of heads) {
    const before = in_reply_to ? [...reference_ids, in_reply_to] : reference_ids
    const found =
      before.map((id) => keys.get(id)).find((key) => key !== undefined) ?? keys.get(message_id) ?? before[0] ?? message_id
    const key = current(found)
    keys.set(message_id, key)
    if (key !== message_id) joined.set(message_id, key)
  }
  await join(ctx, accountId, joined)
  return new Map([...keys].map(([id, key]) => [id, current(key)]))
}

async function join(ctx: Ctx, accountId: number, joined: Map<string, string>) {
  if (!joined.size) return
  const pairs = JSON.stringify([...joined].map(([before, after]) => ({ before, after })))
  await sql`
    update email_messages m set thread_key = pair.after from jsonb_to_recordset(${pairs}::jsonb) as pair (before text, after text)
    where m.tenant_id = ${ctx.tenant.id} and m.account_id = ${accountId} and m.thread_key = pair.before`.execute(ctx.tx)
}
