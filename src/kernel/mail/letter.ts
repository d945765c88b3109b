/**
 * Template of every mail: paragraphs, optional facts, at most one button, the sender's name. Texts are escaped; no HTML is
 * inserted.
 */

import type { Brand } from '../modules/branding.ts'
import { ACCENT, inkOn, readableOn } from '../values/contrast.ts'
import { escapeHtml } from '../values/escape-html.ts'
import { isFromRight, languageAttributes } from '../values/locale.ts'

export interface Letter {
  /** Document title of the HTML body: the subject. */
  title: string
  /** Language of the texts. Default: en. */
  lang?: string
  /** Fixed texts in that language. */
  words?: { openAddress: string }
  /** Name at the top: the workspace or the platform. */
  from: string
  paragraphs: string[]
  /** Table of labelled values below the paragraphs. */
  facts?: { label: string; value: string }[]
  /** Button. `holds` is a sentence on how long its link is valid. */
  button?: { label: string; url: string; holds?: string }
  /** Small print at the end, each line optionally a link. */
  notes?: { text: string; url?: string }[]
  /** Branding of the platform: `await platformBrand(ctx)`. */
  brand?: Brand
  /** Accent colour of a workspace. */
  accent?: string
}

const QUIET = 'margin:0 0 16px;color:#5b6675;font-size:14px'

/** Returns the HTML and the text body of a mail. */
export function letter({
  title,
  lang = 'en',
  words,
  from,
  paragraphs,
  facts = [],
  button,
  notes = [],
  brand = {},
  ...own
}: Letter): {
  html: string
  text: string
} {
  const chosen = own.accent ?? brand.accent ?? ''
  const filled = /^#[0-9a-f]{6}$/i.test(chosen) ? chosen : ACCENT
  const accent = readableOn('#ffffff', filled)
  const { logoUrl, supportEmail } = brand
  const logo = logoUrl ? `<img src="${escapeHtml(logoUrl)}" alt="" height="40" style="display:block;margin:0 0 8px">` : ''
  const help = supportEmail
    ? `<p style="margin:24px 0 0;color:#5b6675">Questions? <a href="mailto:${escapeHtml(supportEmail)}" style="color:${accent}">${escapeHtml(supportEmail)}</a></p>`
    : ''
  const body = paragraphs.map((p) => `<p style="margin:0 0 16px">${escapeHtml(p).replaceAll('\n', '<br>')}</p>`).join('\n')
  const row = ({ label, value }: { label: string; value: string }) =>
    `<tr><td style="padding:4px ${isFromRight(lang) ? '0 4px 24px' : '24px 4px 0'};color:#5b6675">${escapeHtml(label)}</td><td style="padding:4px 0">${escapeHtml(value)}</td></tr>`
  const table = facts.length ? `<table style="margin:0 0 16px;border-collapse:collapse">${facts.map(row).join('')}</table>` : ''
  const action = button
    ? `<p style="margin:24px 0"><a href="${escapeHtml(button.url)}" style="background:${filled};color:${inkOn(filled)};padding:10px 18px;border-radius:6px;text-decoration:none">${escapeHtml(button.label)}</a></p>
<p style="${QUIET}">${escapeHtml(words?.openAddress ?? 'Or open this address:')}<br><a href="${escapeHtml(button.url)}" style="color:${accent};overflow-wrap:anywhere">${escapeHtml(button.url)}</a></p>
${button.holds ? `<p style="${QUIET}">${escapeHtml(button.holds)}</p>` : ''}`
    : ''
  const written = notes.map(({ text, url }) =>
    url ? `<a href="${escapeHtml(url)}" style="color:${accent}">${escapeHtml(text)}</a>` : escapeHtml(text),
  )
  const below = written.length ? `<p style="${QUIET}">${written.join('<br>')}</p>` : ''
  return {
    html: `<!doctype html><html ${languageAttributes(lang)}><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;background:#f4f5f7;font-family:system-ui,sans-serif;color:#1c2430;line-height:1.5">
<div style="max-width:560px;margin:32px auto;background:#fff;border-radius:8px;padding:32px">
<p style="margin:0 0 24px;font-weight:600;color:${accent}">${logo}${escapeHtml(from)}</p>
${body}
${table}
${action}
${below}
${help}
</div></body></html>`,
    text: [
      ...[from, '', ...paragraphs.flatMap((p) => [p, ''])],
      ...(facts.length ? [...facts.map(({ label, value }) => `${label}: ${value}`), ''] : []),
      ...(button ? [`${button.label}: ${button.url}`, ...(button.holds ? [button.holds] : []), ''] : []),
      ...(notes.length ? [...notes.map(({ text, url }) => (url ? `${text}: ${url}` : text)), ''] : []),
      ...(supportEmail ? [`Questions? ${supportEmail}`, ''] : []),
    ].join('\n'),
  }
}
