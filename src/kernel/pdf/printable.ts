/** Makes any text safe to set: Typst's shaper ends the process, or takes gigabytes, over texts that nobody can read. */

/**
 * The text as it is printed. Control characters and bidirectional embeddings are dropped, halves of surrogate
 * pairs are shown as such, line breaks become `\n`. Within the bounds below every known text is set in linear time; most texts are within them already.
 */
export function printable(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/\t|[^\S \n]{8,}/g, ' ')
    .replace(DROPPED, '')
  // Nothing below U+0300 combines, and short texts have nothing to bound.
  const composed = plain.length > MAX_CHARACTER && /[\u0300-\uffff]/.test(plain) ? boundCharacters(plain) : plain
  return composed.replace(LONG_INDIC_RUN, `$&${BREAK}`).replace(LONG_RUN, `$&${BREAK}`)
}

/** Controls, bidirectional embeddings, overrides and isolates (they need balance, and can hide what is said), annotations, non-characters. */
const DROPPED =
  /[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff\p{Noncharacter_Code_Point}]/gu

/** Zero-width space: allows a line to end. */
const BREAK = '\u200b'

/**
 * Code points of one character as the reader sees it: a base with its marks, an emoji sequence, a stack of consonants. Real ones
 * have up to about a dozen. Some 20,000 marks on one base take a gigabyte.
 */
const MAX_CHARACTER = 32

const characters = new Intl.Segmenter('und', { granularity: 'grapheme' })

function boundCharacters(text: string) {
  let result = ''
  for (const { segment } of characters.segment(text)) {
    result += segment.length > MAX_CHARACTER ? [...segment].slice(0, MAX_CHARACTER).join('') : segment
  }
  return result
}

/** The shaper of Indic scripts counts the glyphs of a syllable in one byte, and panics at 256. A syllable ends at a break. */
const LONG_INDIC_RUN =
  /[\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{M}\u25cc\u200c\u200d]{64}\p{M}*/gu

/** The PDF's text operators take 65,535 bytes of one unbroken line; a thousand letters are wider than any line. */
const LONG_RUN = /[^ \n\u200b]{1000}\p{M}*/gu
