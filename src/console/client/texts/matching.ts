/** Sentences with holes, found in what the API says: whatever stands in a hole is handed on. */

export interface Sentence {
  /** What stands around the holes of the English one. */
  pieces: string[]
  holes: string[]
  german: string
}

/** A hole `{name}`; `{=name}` holds words that have a German name. */
const HOLE = /\{(=?)(\w+)\}/g

/** `[english, german]`, the former as it is looked for. */
export const sentenceOf = ([english, german]: [english: string, german: string]): Sentence => ({
  pieces: english.split(/\{=?\w+\}/),
  holes: [...english.matchAll(HOLE)].map(([, , name]) => name!),
  german,
})

/** What stands in the holes, each as short as it may be; undefined for another sentence. */
function heard({ pieces, holes }: Sentence, text: string): Record<string, string> | undefined {
  const [first = '', ...others] = pieces
  if (!text.startsWith(first)) return undefined
  const found: Record<string, string> = {}
  let at = first.length
  for (const [n, piece] of others.entries()) {
    const end = n === others.length - 1 ? text.length - piece.length : text.indexOf(piece, at + 1)
    if (end <= at || !text.startsWith(piece, end)) return undefined
    found[holes[n]!] = text.slice(at, end)
    at = end + piece.length
  }
  return at === text.length ? found : undefined
}

const day = new Intl.DateTimeFormat('de', { dateStyle: 'medium', timeZone: 'UTC' })
const figure = (english: string) => english.replace(/[,.]/g, (mark) => (mark === ',' ? '.' : ','))

/** What stands in a hole, as it is written in German: days and sums, which the API writes as ISO and in English. */
export function writtenInGerman(said: string, { name }: { name: string }): string {
  if (name === 'day' && /^\d{4}-\d\d-\d\d$/.test(said)) return day.format(new Date(said))
  return name === 'amount' || name === 'sum' ? said.replace(/\d[\d,]*(\.\d+)?/g, figure) : said
}

/** What the first of the sentences that a text is says in German, its holes filled by `word`; undefined: it is none of them. */
export function germanFor(
  sentences: Sentence[],
  text: string,
  word: (said: string, hole: { name: string; isWord: boolean }) => string,
): string | undefined {
  for (const one of sentences) {
    const found = heard(one, text)
    if (found)
      return one.german.replace(HOLE, (_, mark: string, name: string) => word(found[name] ?? '', { name, isWord: mark !== '' }))
  }
  return undefined
}
