/** Test mail that shows an operator whether mail works (SET-02). */
import { z } from 'zod'
import type { PlatformSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { deliverNow } from '#kernel/mail/delivery.ts'
import { letter } from '#kernel/mail/letter.ts'
import { logMail } from '#kernel/mail/mail-log.ts'
import { MailRefused } from '#kernel/mail/providers/provider.ts'
import { platformBrand } from '#kernel/modules/branding.ts'
import { writtenInstant } from '#kernel/modules/platform-dates.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { email } from '#kernel/values/fields.ts'

export const TestMail = z.object({ email: email() })

/** Result as in the e-mail log. With the provider `log` it isn't delivered. */
export const TestedMail = z.object({
  email_log_uuid: z
    .string()
    .meta({ description: 'Uuid of the mail in the e-mail log.', examples: ['0198f0c2-5b1e-7c3a-9d4f-2a6b8c0d1e2f'] }),
  provider: z.string().meta({ description: 'Who delivered it; `log`: nobody, it is kept in the log.' }),
  message_id: z.string().nullable().meta({ description: 'By what id the provider knows it.' }),
})

/** Sends at once, bypassing the queue. 422 on `mail_provider` with the provider's message if it rejects the mail. */
export async function sendTestMail(steps: PlatformSteps, to: string): Promise<z.input<typeof TestedMail>> {
  const mail = await steps.write(async (ctx) => {
    await audit(ctx, 'test_mail_sent', { to })
    const brand = await platformBrand(ctx)
    const from = brand.name
    const facts = [{ label: 'Sent', value: await writtenInstant(ctx, ctx.now) }]
    const subject = `Test mail – ${from}`
    const bodies = letter({
      title: subject,
      from,
      paragraphs: ['Mail works: this one was delivered as asked for.'],
      facts,
      brand,
    })
    return logMail(ctx, { type: 'system.test_mail', to: [to], subject, ...bodies })
  })
  try {
    await deliverNow(steps.services, mail)
  } catch (error) {
    if (error instanceof MailRefused) throw invalid({ mail_provider: error.message })
    throw error
  }
  return steps.finish(async (ctx) => {
    const { provider, provider_message_id } = await ctx.tx
      .selectFrom('email_logs')
      .select(['provider', 'provider_message_id'])
      .where('tenant_id', '=', mail.tenant_id)
      .where('id', '=', mail.id)
      .executeTakeFirstOrThrow()
    return { email_log_uuid: mail.uuid, provider: provider!, message_id: provider_message_id }
  })
}
