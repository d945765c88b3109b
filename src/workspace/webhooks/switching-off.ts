/** Switching an endpoint off for which nothing arrives, and telling whoever made it. */
import type { Ctx } from '#kernel/context.ts'
import { letter } from '#kernel/mail/letter.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import { audit } from '#kernel/tenancy/audit.ts'

const SUBJECT = 'A webhook endpoint was switched off'

/** No more deliveries are tried until somebody switches it on again; then it goes on where it stopped. */
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
  const creator = ctx.from('users').select(['email', 'email_verified_at']).where('id', '=', off.user_id)
  const to = await creator.where('deleted_at', 'is', null).where('suspended_at', 'is', null).executeTakeFirst()
  if (!to?.email || to.email_verified_at === null) return
  await sendMail(ctx, {
    type: 'webhook.disabled',
    to: [to.email],
    subject: SUBJECT,
    ...letter({
      title: SUBJECT,
      from: ctx.tenant.name,
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
