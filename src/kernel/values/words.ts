/** English words derived from identifiers. */
import pluralize from 'pluralize'

const ACRONYMS = new Map([
  ...'api cii csv dns eu id ip pdf ses sku smtp ssl starttls tls ubl url us vat xlsx'
    .split(' ')
    .map((word): [string, string] => [word, word.toUpperCase()]),
  ['einvoice', 'e-invoice'],
])

/** Joins words and capitalises acronyms: `['vat', 'id']` is "VAT ID". */
export const spoken = (words: string[]) => words.map((word) => ACRONYMS.get(word) ?? word).join(' ')
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns an identifier as words: `partially_received` is "partially received". */
export const words = (name: string) => name.replaceAll('_', ' ')

/** Returns a noun with its article: "an invoice", "a unit". */
export const withArticle = (noun: string) => `${/^([aeioA]|un(?!i))/.test(noun) ? 'an' : 'a'} ${noun}`

/** Returns the singular of a collection's name: `expense_categories` is `expense_category`. */
export const singular = (plural: string) => pluralize.singular(plural)

/** Returns the plural of a noun: "purchase orders". */
export const plural = (noun: string) => pluralize.plural(noun)

/** Returns a field's label: `expected_date` is "Expected date", `is_active` "Active". */
export const humanised = (name: string) => capital(spoken(name.replace(/^is_(?=.)/, '').split('_')))
