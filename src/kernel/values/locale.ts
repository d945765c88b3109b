/** Languages and regions, as dates, numbers and money are written for them. */
import { z } from 'zod'
import { escapeHtml } from './escape-html.ts'

const isLocale = (tag: string) => {
  try {
    return /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(tag) && Intl.NumberFormat.supportedLocalesOf(tag).length === 1
  } catch {
    return false
  }
}

/** A BCP 47 language tag, `pt-BR`, of a language that can be written; a region that is unknown falls back to the language. */
export const locale = () => z.string().max(35).refine(isLocale, 'Must be a language tag such as en or pt-BR.')

/** Whether a language is written from the right. */
export const isFromRight = (tag: string) => ['ar', 'fa', 'he', 'ur'].includes(tag.split('-')[0]!)

/** The attributes of an HTML element whose text is in a language. */
export const languageAttributes = (tag: string) => `lang="${escapeHtml(tag)}"${isFromRight(tag) ? ' dir="rtl"' : ''}`
