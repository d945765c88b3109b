/** Demo links to documents that await an answer, and signatures on recently accepted ones. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { addressAt } from '#kernel/demo/names.ts'
import type { Plan } from '#kernel/demo/parts.ts'
import { asOf, insertTimeline } from '#kernel/demo/stories.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import { type Acceptable, canonicalText, type Offered } from './acceptable.ts'
import { issueLink } from './links.ts'

const MAX = 20
const BROWSER =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'

interface Document extends Offered {
  updated_at: string
  signer_name: string | null
  signer_email: string | null
}

/** Documents in one of the `accepted` states are signed at the time they reached it. */
export async function offerToCustomers(ctx: Ctx, plan: Plan, offered: Acceptable, accepted: string[]) {
  for (const document of await newest(ctx, offered, ['sent'])) {
    const lastDay = document[offered.lastDay]
    if (!lastDay || lastDay >= ctx.today()) await issueLink(asOf(ctx, document.updated_at, plan.people[0]), offered, document)
  }
  for (const document of await newest(ctx, offered, accepted)) await sign(ctx, offered, document)
}

/** Returns the newest documents with their customers. */
async function newest(ctx: Ctx, { of }: Acceptable, states: string[]) {
  const { rows } = await sql<Document>`
    select d.*, c.name as signer_name, c.email as signer_email from ${sql.table(of.table)} d
    left join contacts c on c.tenant_id = d.tenant_id and c.id = d.contact_id
    where d.tenant_id = ${ctx.tenant.id} and d.status = any(${states}) and d.deleted_at is null order by d.id desc limit ${MAX}`.execute(
    ctx.tx,
  )
  return rows
}

async function sign(ctx: Ctx, offered: Acceptable, { id, signer_name, signer_email }: Document) {
  if (!signer_name) return
  const { table } = offered.of
  const { rows } = await sql<{ at: string }>`
    update activities set actor_id = null
    where tenant_id = ${ctx.tenant.id} and subject_type = ${table} and subject_id = ${id} and type = 'status_changed' and properties ->> 'from' = 'sent'
      and properties ->> 'to' in ('accepted', 'active')
    returning created_at as at`.execute(ctx.tx)
  const at = rows[0]?.at
  if (!at) return
  const signer = { signer_name, signer_email: signer_email ?? addressAt(signer_name, 'mail.example') }
  const { text, hash } = await canonicalText(asOf(ctx, at), offered, id)
  await insertRows(ctx, 'customer_signatures', [
    {
      ...{ subject_type: table, subject_id: id, ...signer, kind: 'typed' as const, typed: signer_name },
      ...{ ip: '198.51.100.17', user_agent: BROWSER, signed_at: at, shown: text, document_sha256: hash },
    },
  ])
  await insertTimeline(ctx, table as 'quotations', [{ id, type: 'signed', properties: signer, at, by: null }])
}
