/** Notifications by mail, where the workspace wants that (NTF-29). */
import type { Ctx } from '#kernel/context.ts'
import { letter } from '#kernel/mail/letter.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import type { News } from './audience.ts'
import { factsOf } from './catalogue.ts'
import { wantedOn } from './preferences.ts'

/** Lead assignment is never mailed (NTF-30), nor anything to an address that isn't proven. */
export async function mailNews(ctx: Ctx, news: News[]) {
  const mailable = news.filter(({ type, viewer }) => !factsOf(type).unmailed && viewer.email !== null)
  if (!mailable.length || !(await ctx.setting('email_notifications'))) return
  const wanted = await wantedOn('mail', ctx, mailable)
  const accent = await ctx.setting('document_accent_color')
  for (const { viewer, data } of wanted)
    await sendMail(ctx, {
      type: `notification.${data.type}`,
      to: [viewer.email!],
      subject: data.title,
      ...letter({ from: ctx.tenant.name, paragraphs: [data.body, FAREWELL], accent }),
    })
}

const FAREWELL = 'Which notifications are mailed to you is up to you: switch them on and off in your preferences.'
