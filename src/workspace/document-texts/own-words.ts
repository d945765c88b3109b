/** The workspace's own texts, and the resulting texts in all languages. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { type FieldErrors, invalid } from '#kernel/errors.ts'
import { coded } from '#kernel/values/fields.ts'
import { isFromRight } from '#kernel/values/locale.ts'
import { isLanguage, LANGUAGES, type Language } from './languages.ts'
import { placeholdersOf, shipped } from './shipped.ts'
import { isTextKey, type TextKey } from './texts/en.ts'

const MAX_LENGTH = 500

export const OwnWords = z
  .record(
    z.string().max(100),
    z
      .string()
      .max(MAX_LENGTH, `Must be at most ${MAX_LENGTH} characters.`)
      .transform((text) => text.trim() || null)
      .nullable(),
  )
  .meta({
    description: 'Texts by their keys; null puts the shipped one back. Those that are not sent stay as they are.',
    examples: [{ kind_invoice: 'Honorarnote', tax_id: 'UID {id}' }],
  })

export const DocumentTexts = z
  .object({
    language: z.string().meta({ description: 'BCP 47 tag of the language.', examples: ['de'] }),
    direction: coded(z.enum(['ltr', 'rtl']), { ltr: 'Left to right', rtl: 'Right to left' }).describe(
      'Whether it is written from the left or from the right.',
    ),
    texts: z.record(z.string(), z.string()).meta({
      description:
        'What is printed, mailed and shown to customers, by key: in the workspace’s own words, else as shipped. `{name}` is a placeholder.',
      examples: [{ kind_invoice: 'Honorarnote', due_date: 'Fällig am' }],
    }),
    own: z.array(z.string()).meta({ description: 'The keys whose text is the workspace’s own.', examples: [['kind_invoice']] }),
  })
  .meta({ id: 'DocumentTexts' })

/** Returns every language with its texts in this workspace. */
export async function showTexts(ctx: Ctx): Promise<z.input<typeof DocumentTexts>[]> {
  const own = await ownWords(ctx)
  return LANGUAGES.map((language) => shownIn(language, own))
}

type Own = (language: Language) => Partial<Record<TextKey, string>>

/**
 * Reads the workspace's own texts of these languages. Returns a function from a language to its texts. Obsolete keys are skipped.
 */
export async function ownWords(ctx: Ctx, languages: readonly Language[] = LANGUAGES): Promise<Own> {
  const rows = await ctx
    .from('document_texts')
    .select(['language', 'key', 'text'])
    .where('language', 'in', languages)
    .orderBy('key')
    .execute()
  const known = Map.groupBy(
    rows.filter(({ key }) => isTextKey(key)),
    ({ language }) => language,
  )
  return (language) => Object.fromEntries((known.get(language) ?? []).map(({ key, text }) => [key, text]))
}

function shownIn(language: Language, ownIn: Own): z.input<typeof DocumentTexts> {
  const own = ownIn(language)
  const direction = isFromRight(language) ? 'rtl' : 'ltr'
  return { language, direction, texts: { ...shipped[language], ...own }, own: Object.keys(own) }
}

/**
 * Stores a workspace's own texts of a language. 422 on an unknown language or key, and on a text that can't replace the shipped
 * one; nothing is changed then.
 */
export async function saveTexts(ctx: Ctx, language: string, words: z.output<typeof OwnWords>) {
  if (!isLanguage(language)) throw invalid({ language: `Must be one of ${LANGUAGES.join(', ')}.` })
  const errors: FieldErrors = {}
  for (const [key, text] of Object.entries(words)) {
    const wrong = isTextKey(key) ? text !== null && mistakeIn(text, shipped[language][key]) : 'There is no such text.'
    if (wrong) errors[key] = [wrong]
  }
  if (Object.keys(errors).length) throw invalid(errors)
  const own = Object.entries(words).flatMap(([key, text]) =>
    text === null ? [] : [{ tenant_id: ctx.tenant.id, language, key, text, updated_at: ctx.now }],
  )
  const shippedAgain = Object.keys(words).filter((key) => words[key] === null)
  if (shippedAgain.length)
    await ctx.deleteFrom('document_texts').where('language', '=', language).where('key', 'in', shippedAgain).execute()
  if (own.length)
    await ctx.tx
      .insertInto('document_texts')
      .values(own.sort((a, b) => (a.key < b.key ? -1 : 1))) // in a fixed order, so that two transactions don't deadlock
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'language', 'key'])
          .doUpdateSet((eb) => ({ text: eb.ref('excluded.text'), updated_at: eb.ref('excluded.updated_at') })),
      )
      .execute()
  return shownIn(language, await ownWords(ctx, [language]))
}

/** Returns why a text can't replace the shipped one. */
function mistakeIn(text: string, instead: string): string | undefined {
  if (/[\n\r\u2028\u2029]/.test(text)) return 'Must be one line.'
  const [sent, needed] = [placeholdersOf(text), placeholdersOf(instead)]
  if (sent.join() === needed.join()) return undefined
  return needed.length
    ? `Must have the placeholders ${needed.map((name) => `{${name}}`).join(', ')} and no others.`
    : 'Must have no placeholders.'
}
