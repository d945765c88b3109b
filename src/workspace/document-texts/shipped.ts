/** The texts that come with Atrium, by language. The types hold that no language lacks one. */
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

/** The names of what a text is filled with, in their order in the alphabet. */
export const placeholdersOf = (text: string): string[] =>
  [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name!))].sort()

/** A text with its placeholders filled. What they are filled with is taken as it is. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(PLACEHOLDER, (placeholder, name: string) => values[name] ?? placeholder)
