/** Texts of a document, in one or two languages. */
import type { Ctx } from '#kernel/context.ts'
import type { Language } from './languages.ts'
import { ownWords } from './own-words.ts'
import { filled, shipped } from './shipped.ts'
import type { en, TextKey } from './texts/en.ts'

/** Languages and locale of a document. Frozen with the document. */
export interface Written {
  /** One or two; the first determines the direction of the page. */
  languages: Language[]
  /** Locale of dates and numbers: the first language, possibly with the workspace's region. */
  locale: string
}

type PlaceholderOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderOf<Rest>
  : never
/** Values of a text's placeholders; a function returns the value in a language, such as a date. */
type Filling<Key extends TextKey> = Record<PlaceholderOf<(typeof en)[Key]>, string | ((locale: string) => string)>
type Filled<Key extends TextKey> = PlaceholderOf<(typeof en)[Key]> extends never ? [] : [Filling<Key>]

/** Returns texts in a document's languages, with their placeholders filled. */
export interface Say extends Written {
  /** Returns a label, word or line: in two languages as "Rechnung / Invoice", once if they are equal. */
  <Key extends TextKey>(key: Key, ...filling: Filled<Key>): string
  /** The same with one language per line: headers of narrow columns. */
  below<Key extends TextKey>(key: Key, ...filling: Filled<Key>): string
  /** The same in each language separately: paragraphs of a mail. */
  each<Key extends TextKey>(key: Key, ...filling: Filled<Key>): string[]
}

/** Reads the workspace's texts of these languages, or of all. Returns a function from a document's languages to its texts. */
export async function documentWords(ctx: Ctx, languages?: Language[]): Promise<(written: Written) => Say> {
  const ownIn = await ownWords(ctx, languages)
  return ({ languages, locale }) => {
    const texts = languages.map((language) => ({ ...shipped[language], ...ownIn(language) }))
    const each = (key: TextKey, filling: Record<string, string | ((locale: string) => string)> = {}) => {
      return languages.map((language, n) => {
        const values = Object.entries(filling).map(([name, value]): [string, string] => [
          name,
          typeof value === 'string' ? value : value(n === 0 ? locale : language),
        ])
        return filled(texts[n]![key], Object.fromEntries(values))
      })
    }
    const joined = (between: string) => (key: TextKey, filling?: Parameters<typeof each>[1]) =>
      [...new Set(each(key, filling))].join(between)
    return Object.assign(joined(' / '), { below: joined('\n'), each, languages, locale }) as Say
  }
}

/** Returns the texts of one document. */
export const wordsOf = async (ctx: Ctx, written: Written): Promise<Say> => (await documentWords(ctx, written.languages))(written)

/** Returns the current languages of a document for a customer: the customer's, else the workspace's. */
export async function writtenFor(ctx: Ctx): Promise<(customer: Language[]) => Written> {
  const usual = await ctx.setting('document_language')
  const { locale } = ctx.tenant
  /** The workspace's region is added to its own language: de-AT, pt-BR. */
  const localeOf = (language: Language) => (locale.split('-')[0] === language ? locale : language)
  return ([first, ...others]) => {
    if (first) return { languages: [first, ...others], locale: localeOf(first) }
    // If no language was chosen, texts are English, and numbers follow the workspace's locale.
    return { languages: [usual], locale: usual === 'en' ? locale : localeOf(usual) }
  }
}
