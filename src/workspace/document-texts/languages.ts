/** Languages of documents, as BCP 47 tags. */
import { sql } from 'kysely'
import { z } from 'zod'
import { computed } from '#kernel/records/view.ts'
import { choice } from '#kernel/values/fields.ts'

export const LANGUAGES = ['en', 'de', 'fr', 'nl', 'es', 'it', 'pt', 'pl', 'ar', 'he'] as const
export type Language = (typeof LANGUAGES)[number]

export const isLanguage = (tag: string): tag is Language => LANGUAGES.some((language) => language === tag)

/** Schema of one language. */
export const language = () => choice(LANGUAGES)

/** Schema of up to two different languages. */
const languageList = () =>
  z
    .array(language())
    .max(2, 'Must be at most 2 languages.')
    .refine((tags) => new Set(tags).size === tags.length, 'Must not name a language twice.')

/** Languages of customers in input. */
export const languagesInput = {
  language: language()
    .nullish()
    .meta({ description: 'Language of the documents, mails and pages that they get; null: as the workspace has it.' }),
  languages: languageList()
    .default([])
    .meta({
      description:
        'Up to two languages that their documents are written in at once, the first one above; none: `language` alone.',
      examples: [['de', 'en']],
    }),
}

/** Languages of customers in replies. */
export const languagesShown = {
  language: z
    .string()
    .nullable()
    .meta({
      description: 'Language of the documents, mails and pages that they get; null: as the workspace has it.',
      examples: ['de'],
    }),
  languages: computed(z.array(z.string()), ({ table }) => sql`to_json(${sql.ref(`${table}.languages`)})`).meta({
    description: 'The languages that their documents are written in at once, the first one above; none: `language` alone.',
    examples: [['de', 'en']],
  }),
}
