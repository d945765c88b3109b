/** Shared layout of all HTML pages of the service: branded, responsive, with dark mode, usable by keyboard and screen reader. */
import { randomBytes } from 'node:crypto'
import type { Brand } from '../modules/branding.ts'
import { ACCENT, inkOn, readableOn } from '../values/contrast.ts'
import { escapeHtml } from '../values/escape-html.ts'
import { languageAttributes } from '../values/locale.ts'
import { type Answer, html } from './answer.ts'

export interface PageContent {
  title: string
  /** Branding of the workspace or the platform. */
  brand?: Brand
  /** Decorative picture at the top. */
  imageUrl?: string | null
  /** HTML. User input in it must be escaped with `escapeHtml`. */
  body: string
  /** HTML that describes the page's subject: shown beside the body on a desktop, above it on small screens. */
  about?: string
  /** Links for further navigation. */
  onward?: Link[]
  /** `narrow` (default): a form or a short message. `wide`: a document. */
  width?: 'narrow' | 'wide'
  script?: string
  /** Origin to which its form may redirect. */
  formsTo?: string
  /** Additional CSS. */
  styles?: string
  lang?: string
  status?: number
}

export interface Link {
  label: string
  url: string
}

const LIGHT = '#ffffff'
const DARK = '#171c23'

/** Returns the HTML of navigation links. */
export const onwardHtml = (links: Link[]) =>
  links.map(({ label, url }) => `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>`).join('\n')

/** Renders a page. */
export function page(content: PageContent): Answer {
  const { title, brand = {}, imageUrl, body, about, onward = [], width = 'narrow', script, styles = '', lang = 'en' } = content
  const nonce = randomBytes(16).toString('base64')
  const accent = /^#[0-9a-f]{6}$/i.test(brand.accent ?? '') ? brand.accent! : ACCENT
  const logo = brand.logoUrl ? `<img src="${escapeHtml(brand.logoUrl)}" alt="" height="40">` : ''
  const head = logo || brand.name ? `<header>${logo}${brand.name ? `<span>${escapeHtml(brand.name)}</span>` : ''}</header>` : ''
  const icon = brand.iconUrl ? `<link rel="icon" href="${escapeHtml(brand.iconUrl)}">\n` : ''
  const picture = imageUrl ? `<img class="picture" src="${escapeHtml(imageUrl)}" alt="">\n` : ''
  const help = brand.supportEmail ? escapeHtml(brand.supportEmail) : ''
  const foot = help ? `<footer>Questions? <a href="mailto:${help}">${help}</a></footer>\n` : ''
  const top = `${picture}${head}\n<h1>${escapeHtml(title)}</h1>`
  const rest = `${body}\n${onward.length ? `<nav class="onward" aria-label="Go on">${onwardHtml(onward)}</nav>\n` : ''}`
  const inside = about === undefined ? `${top}\n${rest}` : `<div>${top}\n${about}</div>\n<div>${rest}</div>\n`
  const markup = `<!doctype html>
<html ${languageAttributes(lang)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
${icon}<style nonce="${nonce}">
:root { color-scheme: light dark; --accent: ${accent}; --on-accent: ${inkOn(accent)}; --link: ${readableOn(LIGHT, accent)}
  ; --page: #f4f5f7; --card: ${LIGHT}; --raised: #f1f3f5; --ink: #1c2430; --quiet: #56606c; --line: #cfd5dc; --field: #6b7683; --bad: #a1260d }
@media (prefers-color-scheme: dark) {
  :root { --link: ${readableOn(DARK, accent)}; --page: #0e1217; --card: ${DARK}; --raised: #232a33; --ink: #e6e9ed; --quiet: #a8b2bd; --line: #39424d; --field: #8a96a3; --bad: #ff9c87 }
  header img { padding: .3rem .5rem; background: #fff; border-radius: 4px }
}
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word }
main { box-sizing: border-box; max-width: 44rem; margin: 8vh auto; padding: 2rem; background: var(--card); border-radius: 8px }
main.narrow { max-width: 28rem }
main.wide { max-width: 76rem; margin: 4vh auto }
header { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin-bottom: 1.5rem; font-weight: 600; color: var(--link) }
h1 { margin: 0 0 .5rem; font-size: 1.3rem; color: var(--link) }
a { color: var(--link) }
label { display: block; margin-top: 1rem }
input:not([type=checkbox]) { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--field); border-radius: 6px }
button, .button { display: inline-block; margin-top: 1.5rem; padding: .6rem 1.1rem; font: inherit; color: var(--on-accent); background: var(--accent); border: 0; border-radius: 6px; text-decoration: none; cursor: pointer }
button:disabled { opacity: .6; cursor: default }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
[role=status] { margin-top: 1rem }
.error { margin: .4rem 0 0; color: var(--bad); font-weight: 600 }
input[aria-invalid] { border: 2px solid var(--bad) }
header img { max-width: min(100%, 16rem); object-fit: contain; object-position: left }
.picture { width: 100%; max-height: 16rem; object-fit: cover; border-radius: 6px; margin-bottom: 1rem }
.onward { margin-top: 1.5rem; padding-top: .5rem; border-top: 1px solid var(--line) }
.onward p { margin: .5rem 0 0 }
footer { margin-top: 1.5rem; color: var(--quiet); font-size: .9rem }
@media (min-width: 52rem) {
  main.columns { display: grid; grid-template-columns: 1fr 1fr; gap: 3rem; max-width: 60rem }
  main.columns > div { min-width: 0 }
  main.columns > footer { grid-column: 1 / -1; margin-top: 0 }
  main.columns label:first-child { margin-top: 0 }
}
@media (max-width: 30rem) { main, main.wide { margin: 0; border-radius: 0; padding: 1.25rem } }
@media print { body { background: none } }
${styles}</style>
</head>
<body>
<main class="${width}${about === undefined ? '' : ' columns'}">
${inside}${foot}</main>
${script ? `<script nonce="${nonce}">\n${script}\n</script>\n` : ''}</body>
</html>
`
  return html(markup, { status: content.status, nonce, formsTo: content.formsTo })
}
