/** The one layout of every page that we serve: plain, branded, readable on a phone, by keyboard and by screen readers. */
import { randomBytes } from 'node:crypto'
import type { Brand } from '../modules/branding.ts'
import { escapeHtml } from '../values/escape-html.ts'
import { type Answer, html } from './answer.ts'

export interface PageContent {
  title: string
  /** Whose page it is: a workspace, or the platform. */
  brand?: Brand
  /** A picture on top, which says nothing. */
  imageUrl?: string | null
  /** Markup. Whatever people typed goes through `escapeHtml` first. */
  body: string
  script?: string
  /** CSS of its own. */
  styles?: string
  lang?: string
  status?: number
}

const ACCENT = '#1f4f82'

export function page({ title, brand = {}, imageUrl, body, script, styles = '', lang = 'en', status }: PageContent): Answer {
  const nonce = randomBytes(16).toString('base64')
  const accent = /^#[0-9a-f]{6}$/i.test(brand.accent ?? '') ? brand.accent! : ACCENT
  const logo = brand.logoUrl ? `<img src="${escapeHtml(brand.logoUrl)}" alt="" height="40">` : ''
  const head = logo || brand.name ? `<header>${logo}${brand.name ? `<span>${escapeHtml(brand.name)}</span>` : ''}</header>` : ''
  const icon = brand.iconUrl ? `<link rel="icon" href="${escapeHtml(brand.iconUrl)}">\n` : ''
  const picture = imageUrl ? `<img class="picture" src="${escapeHtml(imageUrl)}" alt="">\n` : ''
  const help = brand.supportEmail ? escapeHtml(brand.supportEmail) : ''
  const foot = help ? `<footer>Questions? <a href="mailto:${help}">${help}</a></footer>\n` : ''
  const markup = `<!doctype html>
<html lang="${escapeHtml(lang)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
${icon}<style nonce="${nonce}">
:root { --accent: ${accent} }
body { margin: 0; background: #f4f5f7; color: #1c2430; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { box-sizing: border-box; max-width: 44rem; margin: 8vh auto; padding: 2rem; background: #fff; border-radius: 8px }
main.narrow { max-width: 26rem }
header { display: flex; gap: .75rem; align-items: center; margin-bottom: 1.5rem; font-weight: 600; color: var(--accent) }
h1 { margin: 0 0 .5rem; font-size: 1.3rem; color: var(--accent) }
label { display: block; margin-top: 1rem }
input:not([type=checkbox]) { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; border: 1px solid #6b7683; border-radius: 6px }
button { margin-top: 1.5rem; padding: .6rem 1.1rem; font: inherit; color: #fff; background: var(--accent); border: 0; border-radius: 6px; cursor: pointer }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
[role=status] { margin-top: 1rem }
header img { max-width: 100%; object-fit: contain }
.picture { width: 100%; max-height: 16rem; object-fit: cover; border-radius: 6px; margin-bottom: 1rem }
footer { margin-top: 1.5rem; color: #5b6675; font-size: .9rem }
@media (max-width: 30rem) { main { margin: 0; border-radius: 0; padding: 1.25rem } }
${styles}</style>
<main${body.length < 2000 ? ' class="narrow"' : ''}>
${picture}${head}
<h1>${escapeHtml(title)}</h1>
${body}
${foot}</main>
${script ? `<script nonce="${nonce}">\n${script}\n</script>\n` : ''}</html>
`
  return html(markup, { status, nonce })
}
