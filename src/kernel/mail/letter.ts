/** The look of every mail: paragraphs, perhaps some facts, at most one button, the sender's name. Texts are escaped; nothing is pasted as HTML. */

import type { Brand } from '../modules/branding.ts'
import { escapeHtml } from '../values/escape-html.ts'

export interface Letter {
  /** Shown on top: the workspace or the platform. */
  from: string
  paragraphs: string[]
  /** What it is about, in figures: below the paragraphs. */
  facts?: { label: string; value: string }[]
  button?: { label: string; url: string }
  /** The platform's look: `await platformBrand(ctx)`. */
  brand?: Brand
  /** A workspace's own colour. */
  accent?: string
}

/** The two bodies of a mail. */
export function letter({ from, paragraphs, facts = [], button, brand = {}, ...own }: Letter): { html: string; text: string } {
  const accent = own.accent ?? brand.accent ?? '#1f4f82'
  const { logoUrl, supportEmail } = brand
  const logo = logoUrl ? `<img src="${escapeHtml(logoUrl)}" alt="" height="40" style="display:block;margin:0 0 8px">` : ''
  const help = supportEmail
    ? `<p style="margin:24px 0 0;color:#5b6675">Questions? <a href="mailto:${escapeHtml(supportEmail)}" style="color:${accent}">${escapeHtml(supportEmail)}</a></p>`
    : ''
  const body = paragraphs.map((p) => `<p style="margin:0 0 16px">${escapeHtml(p).replaceAll('\n', '<br>')}</p>`).join('\n')
  const row = ({ label, value }: { label: string; value: string }) =>
    `<tr><td style="padding:4px 24px 4px 0;color:#5b6675">${escapeHtml(label)}</td><td style="padding:4px 0">${escapeHtml(value)}</td></tr>`
  const table = facts.length ? `<table style="margin:0 0 16px;border-collapse:collapse">${facts.map(row).join('')}</table>` : ''
  const action = button
    ? `<p style="margin:24px 0"><a href="${escapeHtml(button.url)}" style="background:${accent};color:#fff;padding:10px 18px;border-radius:6px;text-decoration:none">${escapeHtml(button.label)}</a></p>`
    : ''
  return {
    html: `<!doctype html><html><body style="margin:0;background:#f4f5f7;font-family:system-ui,sans-serif;color:#1c2430;line-height:1.5">
<div style="max-width:560px;margin:32px auto;background:#fff;border-radius:8px;padding:32px">
<p style="margin:0 0 24px;font-weight:600;color:${accent}">${logo}${escapeHtml(from)}</p>
${body}
${table}
${action}
${help}
</div></body></html>`,
    text: [
      ...[from, '', ...paragraphs.flatMap((p) => [p, ''])],
      ...(facts.length ? [...facts.map(({ label, value }) => `${label}: ${value}`), ''] : []),
      ...(button ? [`${button.label}: ${button.url}`, ''] : []),
      ...(supportEmail ? [`Questions? ${supportEmail}`, ''] : []),
    ].join('\n'),
  }
}
