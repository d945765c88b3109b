/** The texts that come with Atrium, by language. The types ensure that every language is complete. */
import type { Language } from './languages.ts'
import { ar } from './texts/ar.ts'
import { de } from './texts/de.ts'
import { en, type Texts } from './texts/en.ts'
import { es } from './texts/es.ts'
import { fr } from './texts/fr.ts'
import { he } from './texts/he.ts'
import { it } from './texts/it.ts'
import { nl } from './texts/nl.ts'
import { pl } from './texts/pl.ts'
import { pt } from './texts/pt.ts'

export const shipped: Readonly<Record<Language, Texts>> = { en, de, fr, nl, es, it, pt, pl, ar, he }

const PLACEHOLDER = /\{([^{}]*)\}/g

/** Returns the names of a text's placeholders in alphabetical order. */
export const placeholdersOf = (text: string): string[] =>
  [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name!))].sort()

/** Returns a text with its placeholders filled. Values are inserted unchanged. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(PLACEHOLDER, (placeholder, name: string) => values[name] ?? placeholder)
