/**
 * Pages for unsubscribing from a kind of mail. Opening one changes nothing, because mail scanners open links too; its button
 * does.
 */
import type { PublicCtx } from '#kernel/context.ts'
import type { Answer } from '#kernel/http/answer.ts'
import { page } from '#kernel/http/page.ts'
import { escapeHtml } from '#kernel/values/escape-html.ts'
import { readUnsubscribing, unsubscribe } from '#workspace/notifications/public.ts'

const onward = (url: string) => [{ label: 'Choose which notifications are mailed to you', url }]

/** Returns the page that asks for confirmation. */
export async function confirmingPage(ctx: PublicCtx, token: string): Promise<Answer> {
  const { brand, title, preferences } = await readUnsubscribing(ctx, token)
  return page({
    title: 'Stop these mails?',
    brand,
    body: `<p>You are mailed when: ${escapeHtml(title)}.</p>
<form method="post"><button>Stop these mails</button></form>`,
    onward: onward(preferences),
  })
}

/** Unsubscribes and returns a page that confirms it. */
export async function unsubscribedPage(ctx: PublicCtx, token: string): Promise<Answer> {
  const { brand, title, preferences } = await unsubscribe(ctx, token)
  return page({
    title: 'These mails have ended',
    brand,
    body: `<p role="status">No more mails when: ${escapeHtml(title)}. In the application you are still told.</p>`,
    onward: onward(preferences),
  })
}
