/** Language tags for formatting dates, numbers and money. */
import { z } from 'zod'
import { escapeHtml } from './escape-html.ts'

const isLocale = (tag: string) => {
  try {
    return /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(tag) && Intl.NumberFormat.supportedLocalesOf(tag).length === 1
  } catch {
    return false
  }
}

/** BCP 47 language tag, `pt-BR`, of a language that Intl supports. An unknown region falls back to the language. */
export const locale = () => z.string().max(35).refine(isLocale, 'Must be a language tag such as en or pt-BR.')

/** Returns whether a language is written from right to left. */
export const isFromRight = (tag: string) => ['ar', 'fa', 'he', 'ur'].includes(tag.split('-')[0]!)

/** Returns the `lang` and `dir` attributes of an HTML element. */
export const languageAttributes = (tag: string) => `lang="${escapeHtml(tag)}"${isFromRight(tag) ? ' dir="rtl"' : ''}`
