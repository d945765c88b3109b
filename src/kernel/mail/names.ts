/** Names that strangers chose, in mails to others: words, and nothing that could pass for a message of its own. */

const LONGEST = 60

/** One line, at most 60 characters, without anything that a mail program would make a link of. */
export const plainName = (name: string) =>
  [
    ...name
      .normalize('NFKC')
      .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
      .replace(/\p{Cf}/gu, '')
      .replace(/[:/\\@]|\.(?=\S)/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, LONGEST)
    .join('')
    .trim()
