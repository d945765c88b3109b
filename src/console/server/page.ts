/** The console's single page: initial data is embedded, and its Content-Security-Policy allows only our own files. */
import type { FastifyReply } from 'fastify'
import { cookiesNamed } from '#kernel/http/cookies.ts'
import { inkOn, readableOn } from '#kernel/values/contrast.ts'
import { escapeHtml } from '#kernel/values/escape-html.ts'
import { languageAttributes } from '#kernel/values/locale.ts'
import type { Bundle } from './bundle.ts'

/** Path of the static files. */
export const ASSETS = '/console/assets'

/** Uploaded pictures are served from the service's own address, whatever the page's host. */
const policyOf = (baseUrl: string) =>
  [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self' ${new URL(baseUrl).origin} data: blob:`,
    `connect-src 'self'`,
    `frame-src 'self'`,
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; ')

/**
 * Policy of a non-JSON API reply that a browser might open: a page in its own origin without scripts. A reply with its own
 * sandbox keeps its policy.
 */
export const SANDBOX = `default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; sandbox`

const LANGUAGES = ['en', 'de'] as const
const THEMES = ['system', 'light', 'dark'] as const

/** Appearance of the console: the user's choice, or else the browser's preference. */
export interface Look {
  language: (typeof LANGUAGES)[number]
  theme: (typeof THEMES)[number]
}

/** Reads the cookie `atrium_look`, which the page writes: `de.dark`. */
export function lookOf({ cookie, 'accept-language': accepted = '' }: { cookie?: string; 'accept-language'?: string }): Look {
  const [language, theme] = (cookiesNamed(cookie, 'atrium_look')[0] ?? '').split('.')
  const preferred = accepted.split(',').map((one) => one.trim().slice(0, 2).toLowerCase())
  return {
    language:
      LANGUAGES.find((one) => one === language) ??
      LANGUAGES.find((one) => one === preferred.find((tag) => LANGUAGES.includes(tag as 'en'))) ??
      'en',
    theme: THEMES.find((one) => one === theme) ?? 'system',
  }
}

/** An accent colour with readable variants and the text colour on it, by design token. */
export type Accent = Record<'hue' | 'on-fill' | 'hue-light' | 'hue-dark', string>

/** Backgrounds of a hovered row: contrast is higher on all others. */
const LIGHT = '#f1f3f5'
const DARK = '#20252b'

export const accentOf = (color: string | null | undefined): Accent | undefined =>
  /^#[0-9a-f]{6}$/i.test(color ?? '')
    ? {
        hue: color!,
        'on-fill': inkOn(color!),
        'hue-light': readableOn(LIGHT, color!),
        'hue-dark': readableOn(DARK, color!),
      }
    : undefined

export interface Boot {
  /** Name of the platform, for the title and the pages before sign-in. */
  name: string
  look: Look
  /** Undefined: the default colour. */
  accent?: Accent | undefined
  platform?: { favicon_url?: string | null }
  [more: string]: unknown
}

/**
 * A page contains records next to text from its address. An attacker who controls that text and sees the compressed length could
 * guess records. So the page is compressed only for requests by the user or our own pages, not for those from another site.
 */
const isAskedBySelf = (fetchSite: unknown) => fetchSite === 'none' || fetchSite === 'same-origin'

/**
 * Sends the page. `boot` is data for the script: `<` is escaped, and of its addresses only that of the German texts is executed,
 * which is ours.
 */
export function sendPage(reply: FastifyReply, { script, style, preload, german, signIn }: Bundle, baseUrl: string, boot: Boot) {
  const { look, name, platform } = boot
  const isGerman = look.language === 'de'
  const data = JSON.stringify(isGerman ? { ...boot, german: `${ASSETS}/${german}` } : boot).replaceAll('<', '\\u003c')
  const first = new Set([...preload, ...(isGerman ? [german] : []), ...(boot.realm ? [] : signIn)])
  const more = [...first].map((file) => `<link rel="modulepreload" href="${ASSETS}/${file}">\n`).join('')
  const page = `<!doctype html>
<html ${languageAttributes(look.language)} data-theme="${look.theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(name)}</title>
<link rel="icon" href="${escapeHtml(platform?.favicon_url ?? 'data:,')}">
<link rel="stylesheet" href="${ASSETS}/${style}">
${more}<script type="module" src="${ASSETS}/${script}"></script>
</head>
<body>
<div id="console"></div>
<noscript><main><h1>${escapeHtml(name)}</h1><p>The console needs JavaScript.</p></main></noscript>
<script type="application/json" id="boot">${data}</script>
</body>
</html>
`
  reply
    .headers({
      'content-security-policy': policyOf(baseUrl),
      'cache-control': 'private, no-store',
      vary: 'Cookie, Accept-Language',
    })
    .type('text/html; charset=utf-8')
  return isAskedBySelf(reply.request.headers['sec-fetch-site']) ? reply.compress(page) : reply.send(page)
}
