/** Theme and language, stored in a cookie that the server reads, so that the first paint is right. The cookie is no secret. */
import { signal } from '@preact/signals'
import { boot } from './boot.ts'

for (const [token, value] of Object.entries(boot.accent ?? {})) document.documentElement.style.setProperty(`--${token}`, value)

export const theme = signal(boot.look.theme)
const YEAR = 365 * 24 * 3600

const keep = (language: string) => {
  // biome-ignore lint/suspicious/noDocumentCookie: the server reads it with the next page; Safari has no cookieStore over plain http
  document.cookie = `atrium_look=${language}.${theme.value}; Path=/; Max-Age=${YEAR}; SameSite=Lax${location.protocol === 'https:' ? '; Secure' : ''}`
}

export function setTheme(chosen: typeof theme.value) {
  theme.value = chosen
  document.documentElement.dataset.theme = chosen
  keep(boot.look.language)
}

/** A reload is needed, because the texts come with the page. */
export function setLanguage(chosen: 'en' | 'de') {
  keep(chosen)
  location.reload()
}
