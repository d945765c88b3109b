/** Translation of the API's names and messages to the user's language. */
import { signal } from '@preact/signals'
import { germanFor, type Sentence, sentenceOf, writtenInGerman } from './matching.ts'
import { plain } from './plain.ts'
import { germanLabels, language, t } from './texts.ts'

/** Translates a name of the API; unknown ones stay. */
export const named = (words: string): string =>
  germanLabels ? (germanLabels[words] ?? ends(words, germanLabels) ?? words) : words

/** Translates filters of a range of days: "Due date from" is the field's name and the end of the range. */
function ends(words: string, labels: Record<string, string>): string | undefined {
  const [, day = '', end] = /^(.+) (from|to)$/.exec(words) ?? []
  return labels[day] && `${labels[day]} ${end === 'from' ? '(ab)' : '(bis)'}`
}

/** Converts an identifier to words: `partially_received` becomes "Partially received". */
export const worded = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')

/**
 * Translates identifiers or words within a sentence, by their form at the start of a sentence or inside: `partially_received`,
 * "void, settle", "Short link".
 */
const spoken = (words: string) =>
  words
    .split(', ')
    .map((one) => germanLabels?.[worded(one)] ?? germanLabels?.[one.charAt(0).toLowerCase() + one.slice(1)] ?? worded(one))
    .join(', ')

/** Sentence patterns; empty until loaded. */
const known = signal<Sentence[]>([])
const hints = signal<Record<string, string>>({})
const permissions = signal<typeof import('./permissions.de.ts') | undefined>(undefined)
/** Resolves when all German texts are loaded; undefined in other languages. */
const heardAll =
  language === 'de'
    ? Promise.all([import('./sentences.de.ts'), import('./hints.de.ts'), import('./permissions.de.ts')]).then(
        ([{ sentences }, more, theirs]) => {
          hints.value = more.hints
          permissions.value = theirs
          known.value = sentences.map(sentenceOf)
        },
      )
    : undefined

/** Translates a message of the API; unknown ones stay. */
export const sentence = (english: string): string =>
  germanFor(known.value, english, (said, hole) =>
    hole.name === 'permission' ? permissionNamed(said) : hole.isWord ? spoken(said) : writtenInGerman(said, hole),
  ) ?? english

/** Translates permission names; unknown ones stay. */
export const permissionNamed = (names: string): string =>
  names
    .split(', ')
    .map((name) => permissions.value?.nameInGerman(name, (english) => germanLabels?.[english]) ?? name)
    .join(', ')

/** Returns the message about missing permissions, any one of which is enough. */
export const needs = (permissions: string[]): string => t('needs', { permission: permissionNamed(permissions.join(', ')) })

/** Translates a permission's description. */
export const permitted = (english: string): string =>
  germanFor(permissions.value?.allowed ?? [], english, (said) => said.split(' and ').map(spoken).join(' und ')) ?? english

/** Translates the messages of an API error. */
export async function spokenOf({ message, fields }: { message: string; fields: Record<string, string[]> }) {
  await heardAll?.catch(() => {}) // then they stay in English
  const said = Object.fromEntries(Object.entries(fields).map(([name, all]) => [name, all.map(sentence)]))
  // The message of a 422 is its first field's message after the field's name.
  const first = Object.values(fields)[0]?.[0]
  return { message: sentence(first && message.endsWith(first) ? first : message), fields: said }
}

/** Translates a success message of the API. */
export async function heard(message: string): Promise<string> {
  await heardAll?.catch(() => {}) // then it stays in English
  return sentence(message)
}

/** Translates the API's description of a field or action, without technical details. */
export function explained(english: string): string {
  return hints.value[english.replaceAll('`', '')] ?? plain(english)
}

/** Returns a title within a sentence. */
export const inside = (title: string): string => (language === 'de' ? title : title.toLowerCase())

const NAMES = new Set(['label', 'title', 'noun', 'category'])

/** Translates the names in the API's screens and modules. Never pass rows: these contain users' own texts. */
export function translated<T>(told: T): T {
  if (language === 'en' || typeof told !== 'object' || !told) return told
  if (Array.isArray(told)) return told.map(translated) as T
  const pairs = Object.entries(told).map(([name, value]) => [
    name,
    typeof value === 'string' ? (NAMES.has(name) ? named(value) : value) : translated(value),
  ])
  return Object.fromEntries(pairs) as T
}
