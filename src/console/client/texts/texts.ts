import { boot } from '../boot.ts'
import { en, type Texts } from './en.ts'

export const language = boot.look.language

const german: typeof import('./german.ts') | undefined = boot.german ? await import(boot.german) : undefined
const texts: Texts = german?.de ?? en
/** What the API calls things, by its English words; none where they are read as they are. */
export const germanLabels: Record<string, string> | undefined = german?.labels

type Filling = Record<string, string | number>
const filled = (text: string, values: Filling = {}) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

/** A text in the language of whoever looks, with `{name}` filled in. */
export const t = (key: keyof Texts, values?: Filling): string => filled(texts[key], values)

/** The texts of a screen that its module draws itself, which stand beside it in both languages. */
export function textsOf<const T extends Record<string, string>>(own: { en: T; de: Record<keyof T, string> }) {
  const mine: Record<keyof T, string> = own[language]
  return (key: keyof T, values?: Filling): string => filled(mine[key], values)
}

/** An instant as its reader's clock shows it. */
export const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
