import { boot } from '../boot.ts'
import { de } from './de.ts'
import { en, type Texts } from './en.ts'

const all: Record<'en' | 'de', Texts> = { en, de }
const texts = all[boot.look.language]

/** A text in the language of whoever looks, with `{name}` filled in. */
export const t = (key: keyof Texts, values: Record<string, string | number> = {}): string =>
  texts[key].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

export const language = boot.look.language

/** An instant as its reader's clock shows it. */
export const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
