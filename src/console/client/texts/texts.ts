import { boot } from '../boot.ts'
import { en, type Texts } from './en.ts'

export const language = boot.look.language

const german: typeof import('./german.ts') | undefined = boot.german ? await import(boot.german) : undefined
const texts: Texts = german?.de ?? en
/** German names of the API by the English text; undefined in English. */
export const germanLabels: Record<string, string> | undefined = german?.labels

type Filling = Record<string, string | number>
const filled = (text: string, values: Filling = {}) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

/** Returns a text in the user's language, with `{name}` filled in. */
export const t = (key: keyof Texts, values?: Filling): string => filled(texts[key], values)

/** Returns a translation function for the texts of a custom screen, which are declared next to it in both languages. */
export function textsOf<const T extends Record<string, string>>(own: { en: T; de: Record<keyof T, string> }) {
  const mine: Record<keyof T, string> = own[language]
  return (key: keyof T, values?: Filling): string => filled(mine[key], values)
}

/** Formats an instant in the user's time zone. */
export const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
