/** Disables endpoints that can't be reached, and notifies their creators. */
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { letter } from '../mail/letter.ts'
import { sendMail } from '../mail/mail.ts'
import { platformBrand } from '../modules/branding.ts'
import { audit } from '../tenancy/audit.ts'

const SUBJECT = 'A webhook endpoint was switched off'

/** Disables an endpoint. No deliveries are tried until a user re-enables it; it then continues at its position. */
export async function switchOff(ctx: Ctx, id: number, reason: string) {
  const off = await ctx
    .update('webhook_endpoints')
    .set({ is_active: false, disabled_reason: reason, updated_at: ctx.now })
    .where('id', '=', id)
    .where('is_active', '=', true)
    .returning(['url', 'user_id'])
    .executeTakeFirst()
  if (!off) return
  await audit(ctx, 'webhook_endpoint.disabled', { webhook_endpoint_id: id, reason })
  const isPlatform = ctx.role === 'app_platform'
  const { rows } = await sql<{ email: string }>`
    select email from ${isPlatform ? sql`platform_users` : sql`users`}
    where ${isPlatform ? sql`true` : sql`tenant_id = ${ctx.tenant.id}`} and id = ${off.user_id}
      and deleted_at is null and suspended_at is null and email_verified_at is not null and email <> ''`.execute(ctx.tx)
  if (!rows[0]) return
  await sendMail(ctx, {
    type: 'webhook.disabled',
    to: [rows[0].email],
    subject: SUBJECT,
    ...letter({
      title: SUBJECT,
      from: isPlatform ? (await platformBrand(ctx)).name : ctx.tenant.name,
      paragraphs: [
        'A webhook endpoint of yours was switched off, because it could not be told of events any more.',
        'Events are kept for 30 days: switch it on again, and it goes on where it stopped.',
      ],
      facts: [
        { label: 'Address', value: off.url },
        { label: 'Why', value: reason },
      ],
    }),
  })
}
