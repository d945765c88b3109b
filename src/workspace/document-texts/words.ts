/** The words of a document: in one language, or in two at once. */
import type { Ctx } from '#kernel/context.ts'
import type { Language } from './languages.ts'
import { ownWords } from './own-words.ts'
import { filled, shipped } from './shipped.ts'
import type { en, TextKey } from './texts/en.ts'

/** What a document is written in. It is frozen with the document. */
export interface Written {
  /** One or two; the first decides the direction of the page. */
  languages: Language[]
  /** How dates and figures are written: the first language, perhaps with the workspace's region. */
  locale: string
}

type PlaceholderOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderOf<Rest>
  : never
/** What a text is filled with; a function gives what stands there in a language, such as a date. */
type Filling<Key extends TextKey> = Record<PlaceholderOf<(typeof en)[Key]>, string | ((locale: string) => string)>
type Filled<Key extends TextKey> = PlaceholderOf<(typeof en)[Key]> extends never ? [] : [Filling<Key>]

export interface Say extends Written {
  /** A label, a word, a line: in two languages as "Rechnung / Invoice", once where they are equal. */
  <Key extends TextKey>(key: Key, ...filling: Filled<Key>): string
  /** The same with the languages below each other: heads of narrow columns. */
  below<Key extends TextKey>(key: Key, ...filling: Filled<Key>): string
  /** The same in each language by itself: paragraphs of a mail. */
  each<Key extends TextKey>(key: Key, ...filling: Filled<Key>): string[]
}

/** Reads the workspace's words, of these languages or all: a function of what a document is written in. */
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

/** The words of one document. */
export const wordsOf = async (ctx: Ctx, written: Written): Promise<Say> => (await documentWords(ctx, written.languages))(written)

/** What a document for a customer is written in, as things stand: in the customer's languages, else in the workspace's. */
export async function writtenFor(ctx: Ctx): Promise<(customer: Language[]) => Written> {
  const usual = await ctx.setting('document_language')
  const { locale } = ctx.tenant
  /** The workspace's region goes with its language: de-AT, pt-BR. */
  const localeOf = (language: Language) => (locale.split('-')[0] === language ? locale : language)
  return ([first, ...others]) => {
    if (first) return { languages: [first, ...others], locale: localeOf(first) }
    // Where nobody chose a language the words are English, and figures are written as the workspace's locale says.
    return { languages: [usual], locale: usual === 'en' ? locale : localeOf(usual) }
  }
}
