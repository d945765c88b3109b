import { type Answer, redirect } from '#kernel/http/answer.ts'
import { page } from '#kernel/http/page.ts'
import type { Brand } from '#kernel/modules/branding.ts'
import { escapeHtml } from '#kernel/values/escape-html.ts'
import type { Opened } from '#platform/billing/public.ts'

const SAYINGS = {
  open: 'This invoice is not paid here. Please transfer the amount as the invoice says.',
  paid: 'This invoice is paid. Thank you.',
  uncollectible: 'This invoice is closed. Please write to us if you want to pay it.',
}

/** Redirects to the provider's page, or returns a page with the reason why there is none. */
export function paymentPage({ invoice, url, again }: Opened, brand?: Brand): Answer {
  if (url) return redirect(url, { status: 303 })
  const title = `Invoice ${invoice.number}`
  if (!again) return page({ title, brand, body: `<p role="status">${SAYINGS[invoice.status]}</p>` })
  return page({
    title,
    brand,
    body: `<p role="status">Thank you. If you have paid, that is confirmed within some minutes.</p>
<p>If you have not, you can still <a href="${escapeHtml(again)}">pay this invoice</a>.</p>`,
  })
}
