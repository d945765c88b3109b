/** Formats values by the kind of field, in the user's language and time zone. */
import type { ComponentChildren } from 'preact'
import { boot } from '../boot.ts'
import { named, worded } from '../texts/labels.ts'
import { language, t } from '../texts/texts.ts'
import { today } from './days.ts'
import { Named } from './named.tsx'
import { decimalSignOf } from './numbers.ts'
import { type Field, type Row, recordAddress, summaryOf } from './shape.ts'

export const locale = boot.me?.workspace?.locale?.startsWith(language) ? boot.me.workspace.locale : language
const homeCurrency = boot.me?.workspace?.currency ?? boot.platform?.currency ?? 'USD'

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: 6 })
/** Decimal sign of inputs and output. */
export const decimalSign = decimalSignOf(locale)
/** Formats counts. */
export const counted = new Intl.NumberFormat(locale)
const moneys = new Map<string, Intl.NumberFormat>()

export const isNumeric = ({ kind }: Field) => ['number', 'quantity', 'percentage', 'money'].includes(kind)

/** Exact: decimals are texts and are formatted without conversion. */
const numeric = (value: unknown) => value as Intl.StringNumericLiteral

function money(value: unknown, currency: string): string {
  const made = moneys.get(currency) ?? new Intl.NumberFormat(locale, { style: 'currency', currency })
  moneys.set(currency, made)
  return made.format(numeric(value))
}

/** Converts HTML to plain text: HTML from users is never rendered as markup here. */
export function textOf(html: string): string {
  const broken = html.replace(/<(br|\/p|\/div|\/li|\/tr|\/h\d)\b[^>]*>/gi, '\n').replace(/<[^>]*>/g, '')
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
  return broken
    .replace(/&(?:#(\d{1,7})|(\w{2,6}));/g, (all, code, name) =>
      code ? String.fromCodePoint(Math.min(Number(code), 0x10ffff)) : (named[name] ?? all),
    )
    .trim()
}

const regions = new Intl.DisplayNames(locale, { type: 'region' })
/** Returns a country's name. Other codes stay (`1A`, Kosovo in e-invoices). */
export const countryOf = (code: unknown) => (/^[A-Z]{2}$/.test(String(code)) ? regions.of(String(code))! : String(code))
export const isCountry = ({ name }: Field) => name === 'country'

const languages = new Intl.DisplayNames(locale, { type: 'language', languageDisplay: 'standard' })
/** Returns whether a field contains language codes. */
export const isLanguage = ({ name }: Field) => /(^|_)(languages?|locale)$/.test(name)
/** Returns a language's name, with the region if any. Other codes stay. */
export const languageOf = (code: unknown) =>
  /^[a-z]{2,3}(-\w+)*$/.test(String(code)) ? languages.of(String(code))! : String(code)

/** Returns a screen's title, as saved views refer to screens by key. Unknown keys stay. */
const screenOf = (key: unknown) => summaryOf(String(key))?.title ?? String(key)

/** Formats a value as text; empty for none. */
export function textFor(field: Field, value: unknown, row: Row): string {
  if (value === null || value === undefined || value === '') return ''
  if (isCountry(field)) return countryOf(value)
  if (isLanguage(field)) return [value].flat().map(languageOf).join(', ')
  if (field.name === 'screen') return screenOf(value)
  switch (field.kind) {
    case 'money': {
      const currency = (field.currency_field && row[field.currency_field]) || row.currency || homeCurrency
      return /^[A-Z]{3}$/.test(String(currency)) ? money(value, String(currency)) : String(value)
    }
    case 'number':
      return /(^|_)id$/.test(field.name) ? String(value) : plain.format(numeric(value))
    case 'quantity':
      return plain.format(numeric(value))
    case 'percentage':
      return `${plain.format(numeric(value))} %`
    case 'date':
      return day.format(new Date(`${value}T00:00:00Z`))
    case 'instant':
      return moment.format(new Date(String(value)))
    case 'boolean':
      return value ? t('yes') : t('no')
    case 'enum':
      return optionOf(field, value) ?? String(value)
    case 'text':
      // An unknown code, such as one of an earlier version, is split into words.
      if (field.options) return optionOf(field, value) ?? named(worded(String(value).replaceAll('.', '_')))
      return nameOf(value)
    case 'html':
      return textOf(String(value))
    default:
      return Array.isArray(value) ? value.map((one) => optionOf(field, one) ?? nameOf(one)).join(', ') : nameOf(value)
  }
}

const optionOf = ({ options }: Field, value: unknown) => options?.find((one) => one.value === value)?.label

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || !value) return String(value)
  const { name, title, number, label, body, description, email, id } = value as Row
  return String(
    name ?? title ?? number ?? label ?? body ?? description ?? email ?? (id === undefined ? JSON.stringify(value) : `#${id}`),
  )
}

/** Colour by state. */
const GOOD = /^(active|paid|accepted|received|completed|done|won|sent|delivered|verified|approved|present|succeeded|live)$/
const WARN =
  /^(unpaid|pending|partially_received|partial|on_hold|waiting|in_progress|in_transit|late|suspended|past_due|queued|processing)$/
const BAD = /^(cancelled|void|voided|failed|rejected|declined|expired|terminated|lost|overdue|absent|bounced)$/
export const tone = (word: string) => (GOOD.test(word) ? 'good' : WARN.test(word) ? 'warn' : BAD.test(word) ? 'bad' : '')

/** Names of fields with a due date. */
const DUE = /(^|_)(due|expected|follow_up)(_|$)|^(ends_on|valid_until)$/
export const isDue = ({ name }: Field) => DUE.test(name)
/** States in which a due date is irrelevant: not started, or completed. */
const OVER =
  /^(draft|closed|archived|completed|cancelled|done|paid|won|lost|void|converted|accepted|rejected|declined|expired|terminated|booked|uncollectible)$/
/** An expected delivery is over when received; a received bill may still be overdue. */
const isOver = ({ name }: Field, { status, deleted_at }: Row) =>
  OVER.test(String(status)) || Boolean(deleted_at) || (status === 'received' && /expected/.test(name))
/** Returns whether a due date has passed for an open record. */
export const isLate = (field: Field, row: Row): boolean => {
  const { name, kind } = field
  const value = row[name]
  if (!value || !isDue(field) || isOver(field, row)) return false
  return kind === 'date' ? String(value) < today() : kind === 'instant' && Date.parse(String(value)) < Date.now()
}

/** Returns the embedded record of a reference. */
export const embedded = (field: Field, row: Row): Row | undefined => {
  const found =
    row[
      field.refers_to?.embed ??
        (field.name in row && typeof row[field.name] === 'object' ? field.name : field.name.replace(/_id$/, ''))
    ]
  return typeof found === 'object' && found ? found : undefined
}

/** Returns a field's value, or its more precise variant if the record has one. */
const shownOf = ({ name, shown_as }: Field, row: Row): unknown => row[shown_as && shown_as in row ? shown_as : name]

export function Value({ field, row, whole = false }: { field: Field; row: Row; whole?: boolean }): ComponentChildren {
  const value = shownOf(field, row)
  if (field.kind === 'reference') {
    const found = embedded(field, row)
    if (!found && (value === null || value === undefined)) return null
    const screen = summaryOf(field.refers_to?.screen)
    if (!found && screen) return <Named screen={screen} of={value} />
    const title = found
      ? String((field.refers_to?.title_field && found[field.refers_to.title_field]) ?? nameOf(found))
      : `#${value}`
    const key = found?.[screen?.key_field ?? 'id'] ?? value
    return screen?.has_record && key !== undefined ? <a href={recordAddress(screen, key)}>{title}</a> : title
  }
  if (field.kind === 'references' && Array.isArray(value)) return value.map(nameOf).join(', ')
  const text = textFor(field, value, row)
  if (!text) return null
  if (field.kind === 'enum' && !isCountry(field)) return <span class={`tag ${tone(String(value))}`}>{text}</span>
  if (field.kind === 'email') return <a href={`mailto:${text}`}>{text}</a>
  if (field.kind === 'phone') return <a href={`tel:${text.replace(/[^+\d]/g, '')}`}>{text}</a>
  if (field.kind === 'url' && /^https?:\/\//i.test(text))
    return (
      <a href={text} rel="noreferrer" target="_blank">
        {text}
      </a>
    )
  if (field.kind === 'colour')
    return (
      <span>
        <Swatch colour={text} /> {text}
      </span>
    )
  if (isLate(field, row))
    return (
      <span class="late" title={t('overdue')}>
        <time dateTime={String(value)}>{text}</time> <span class={whole ? 'tag bad' : 'unseen'}>{t('overdue')}</span>
      </span>
    )
  if (field.kind === 'instant') return <time dateTime={String(value)}>{text}</time>
  return whole && ['long_text', 'html'].includes(field.kind) ? <div class="text">{text}</div> : text
}

export const Swatch = ({ colour }: { colour: string }) => (
  <svg width="12" height="12" aria-hidden="true">
    <rect width="12" height="12" rx="3" fill={/^#[0-9a-f]{3,8}$/i.test(colour) ? colour : 'none'} />
  </svg>
)
