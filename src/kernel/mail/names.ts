/** Names that strangers chose, in mails to others: words, and nothing that could pass for a message of its own. */

const MAX_LENGTH = 60

const oneLine = (name: string) =>
  name
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\p{Cf}/gu, '')

const shortened = (name: string) => [...name.replace(/\s+/g, ' ').trim()].slice(0, MAX_LENGTH).join('').trim()

/** One line, at most 60 characters, without anything that a mail program would make a link of. */
export const plainName = (name: string) => shortened(oneLine(name).replace(/[:/\\@]|\.(?=\S)/g, ' '))

/** The name before an address: one line, at most 60 characters, without what could pass for an address of its own. */
export const displayName = (name: string) => shortened(oneLine(name).replace(/[<>@"\\]/g, ' '))
