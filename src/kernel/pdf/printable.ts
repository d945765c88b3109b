/** Makes any text safe for typesetting: some unreadable texts crash Typst's shaper or make it use gigabytes. */

/**
 * Returns the printable form of a text. Drops control characters and bidirectional embeddings, replaces lone surrogates, and
 * normalises line breaks to `\n`. Within the bounds below, every known text is set in linear time. Most texts are within them
 * already.
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

/**
 * Controls, bidirectional embeddings, overrides and isolates (they need balance, and can hide text), annotations, non-characters.
 */
const DROPPED =
  /[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff\p{Noncharacter_Code_Point}]/gu

/** Zero-width space, which permits a line break. */
const BREAK = '\u200b'

/**
 * Maximum code points of one user-perceived character: a base with its marks, an emoji sequence, a stack of consonants. Real ones
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

/** The shaper of Indic scripts counts a syllable's glyphs in one byte and panics at 256. A break ends the syllable. */
const LONG_INDIC_RUN =
  /[\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{M}\u25cc\u200c\u200d]{64}\p{M}*/gu

/** PDF text operators accept 65,535 bytes of an unbroken line. A thousand letters are wider than any line. */
const LONG_RUN = /[^ \n\u200b]{1000}\p{M}*/gu
