/** What the API calls things, in the language of whoever looks. */
import { signal } from '@preact/signals'
import { germanFor, type Sentence, sentenceOf, writtenInGerman } from './matching.ts'
import { plain } from './plain.ts'
import { germanLabels, language, t } from './texts.ts'

/** The words of the API in the reader's language, or as they are. */
export const named = (words: string): string =>
  germanLabels ? (germanLabels[words] ?? ends(words, germanLabels) ?? words) : words

/** Of a filter by days: "Due date from" is what the day is called, and from which end. */
function ends(words: string, labels: Record<string, string>): string | undefined {
  const [, day = '', end] = /^(.+) (from|to)$/.exec(words) ?? []
  return labels[day] && `${labels[day]} ${end === 'from' ? '(ab)' : '(bis)'}`
}

/** A word in code as one begins a sentence: `partially_received` is "Partially received". */
export const worded = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')

/** Words in code, or as a sentence has them, by what they are called at the beginning of one or in it: `partially_received`, "void, settle", "Short link". */
const spoken = (words: string) =>
  words
    .split(', ')
    .map((one) => germanLabels?.[worded(one)] ?? germanLabels?.[one.charAt(0).toLowerCase() + one.slice(1)] ?? worded(one))
    .join(', ')

/** The sentences; none until they are here. */
const known = signal<Sentence[]>([])
const hints = signal<Record<string, string>>({})
const permissions = signal<typeof import('./permissions.de.ts') | undefined>(undefined)
/** Over when all German is here; nothing where it isn't read. */
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

/** A sentence of the API in the reader's language, or as it is. */
export const sentence = (english: string): string =>
  germanFor(known.value, english, (said, hole) =>
    hole.name === 'permission' ? permissionNamed(said) : hole.isWord ? spoken(said) : writtenInGerman(said, hole),
  ) ?? english

/** Names of permissions as people read them, or as they are. */
export const permissionNamed = (names: string): string =>
  names
    .split(', ')
    .map((name) => permissions.value?.nameInGerman(name, (english) => germanLabels?.[english]) ?? name)
    .join(', ')

/** What somebody lacks, of which any one would do. */
export const needs = (permissions: string[]): string => t('needs', { permission: permissionNamed(permissions.join(', ')) })

/** What a permission says that it allows, in the reader's language. */
export const permitted = (english: string): string =>
  germanFor(permissions.value?.allowed ?? [], english, (said) => said.split(' and ').map(spoken).join(' und ')) ?? english

/** What the API refused and why, in the reader's language. */
export async function spokenOf({ message, fields }: { message: string; fields: Record<string, string[]> }) {
  await heardAll?.catch(() => {}) // they are read in English then
  const said = Object.fromEntries(Object.entries(fields).map(([name, all]) => [name, all.map(sentence)]))
  // The message of a 422 is that of its first field, behind the field's name.
  const first = Object.values(fields)[0]?.[0]
  return { message: sentence(first && message.endsWith(first) ? first : message), fields: said }
}

/** What the API says it has done, in the reader's language. */
export async function heard(message: string): Promise<string> {
  await heardAll?.catch(() => {}) // it is read in English then
  return sentence(message)
}

/** What the API says of a field or an action, to people: in their language, without what programs need to know of it. */
export function explained(english: string): string {
  return hints.value[english.replaceAll('`', '')] ?? plain(english)
}

/** A title within a sentence. */
export const inside = (title: string): string => (language === 'de' ? title : title.toLowerCase())

const NAMES = new Set(['label', 'title', 'noun', 'category'])

/** Screens and modules as the API tells them, with their names in the reader's language. Rows are never given to this: they are people's own words. */
export function translated<T>(told: T): T {
  if (language === 'en' || typeof told !== 'object' || !told) return told
  if (Array.isArray(told)) return told.map(translated) as T
  const pairs = Object.entries(told).map(([name, value]) => [
    name,
    typeof value === 'string' ? (NAMES.has(name) ? named(value) : value) : translated(value),
  ])
  return Object.fromEntries(pairs) as T
}
