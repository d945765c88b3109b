/**
 * Pay links: 256-bit secrets, stored as hashes. The holder of a link may view and pay its invoice, and nothing else of the
 * workspace.
 */
import { sql } from 'kysely'
import type { Ctx, PublicCtx } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { sha256 } from '#kernel/secrets/secrets.ts'
import { findByLinkSecret, linkSecret } from '#kernel/tenancy/link-secrets.ts'
import { enterWorkspace, isOpen } from '#kernel/tenancy/session.ts'
import { decimal } from '#kernel/values/money.ts'
import { localDay } from '#kernel/values/written.ts'
import { brandedAddress } from '#workspace/branded/public.ts'
import type { Say } from '#workspace/document-texts/public.ts'
import { enabledMethods } from './methods.ts'

const LIFETIME = 180 * 24 * 3600_000
/** Maximum per invoice; a further one deletes the oldest. */
const MAX_LINKS = 20

interface Payable {
  id: number
  status: string
  balance_due: string
}

interface PayLink {
  /** Secret part of the address, to be passed in a mail's `secrets`. */
  token: string
  url: string
  expires_at: string
}

/** 422 on `status` of an invoice that isn't unpaid or has no balance due, and on `payment_method` where no method is enabled. */
export async function refusePayLink(ctx: Ctx, invoice: Payable) {
  if (invoice.status !== 'unpaid')
    throw invalid({ status: `Only an unpaid invoice is paid by a link; this one is ${invoice.status}.` })
  if (decimal(invoice.balance_due).lte(0)) throw invalid({ status: 'Nothing is left to pay of this invoice.' })
  if (!(await isPayable(ctx)))
    throw invalid({ payment_method: 'No way to pay is switched on: set up a bank account or Stripe in /payment-methods first.' })
}

/** Returns a pay button for an invoice's mail; undefined where nothing is due or no method is enabled. */
export const payButton = async (ctx: Ctx, invoice: Payable, say: Say) => (await payButtons(ctx, [invoice]))(invoice.id, say)

/** Creates pay buttons for the mails of several invoices. Returns a function of an invoice id and the mail's translations. */
export async function payButtons(ctx: Ctx, invoices: Payable[]) {
  const open = invoices.filter(({ status, balance_due }) => status === 'unpaid' && decimal(balance_due).gt(0))
  const ids = open.length && (await isPayable(ctx)) ? open.map(({ id }) => id) : []
  const links = await issuePayLinks(ctx, ids)
  return (id: number, say: Say) => {
    const link = links.get(id)
    if (!link) return undefined
    const day = Temporal.Instant.from(link.expires_at).toZonedDateTimeISO(ctx.tenant.timezone).toPlainDate().toString()
    const holds = say('pay_link_until', { until: (locale) => localDay(day, locale) })
    return { ...link, label: say('view_and_pay'), holds }
  }
}

const isPayable = async (ctx: Ctx) => ctx.entitled('payments') && (await enabledMethods(ctx)).size > 0

/** Issues a further link to an invoice, on the workspace's own domain where it has one. */
export const issuePayLink = async (ctx: Ctx, id: number): Promise<PayLink> => (await issuePayLinks(ctx, [id])).get(id)!

/** Issues a further link to each of these invoices. */
async function issuePayLinks(ctx: Ctx, ids: number[]): Promise<Map<number, PayLink>> {
  if (!ids.length) return new Map()
  const expires_at = new Date(Date.parse(ctx.now) + LIFETIME).toISOString()
  const base = await brandedAddress(ctx)
  const links = new Map(
    ids.map((id): [number, PayLink] => {
      const token = linkSecret(ctx)
      return [id, { token, url: `${base}/pay/invoices/${token}`, expires_at }]
    }),
  )
  const hashes = [...links.values()].map(({ token }) => sha256(token))
  await sql`
    insert into pay_links (tenant_id, invoice_id, token_hash, created_at, expires_at)
    select ${ctx.tenant.id}, invoice_id, token_hash, ${ctx.now}, ${expires_at}
    from unnest(${ids}::bigint[], ${hashes}::bytea[]) as made (invoice_id, token_hash)
    returning 1`.execute(ctx.tx)
  await sql`
    delete from pay_links where tenant_id = ${ctx.tenant.id} and id in (
      select id from (
        select id, row_number() over (partition by invoice_id order by id desc) as n
        from pay_links where tenant_id = ${ctx.tenant.id} and invoice_id = any(${ids}::bigint[])) l
      where n > ${MAX_LINKS})`.execute(ctx.tx)
  return links
}

/** One reply for unknown tokens, expired ones, and those of closed workspaces. */
const unknownLink = () => notFound('This link is not valid, or its time is over.')

/** Runs `work` in the workspace of a valid link where both modules are installed; 404 otherwise. */
export async function throughPayLink<T>(
  ctx: PublicCtx,
  token: string,
  work: (ctx: Ctx, invoiceId: number) => Promise<T>,
): Promise<T> {
  const link = await findByLinkSecret(ctx, token, (within) =>
    ctx.tx
      .selectFrom('pay_links as l')
      .innerJoin('tenants as t', 't.id', 'l.tenant_id')
      .select(['l.tenant_id', 'l.invoice_id'])
      .where('l.token_hash', '=', sha256(token))
      .where(within('l'))
      .where('l.expires_at', '>', ctx.now)
      .where(isOpen('t'))
      .executeTakeFirst(),
  )
  if (!link) throw unknownLink()
  return enterWorkspace(ctx, link.tenant_id, async (ctx) => {
    if (!ctx.entitled('payments') || !ctx.entitled('invoices')) throw unknownLink()
    return work(ctx, link.invoice_id)
  })
}
