/** Sanitises names chosen by strangers for mails to others, so that they can't pass as a message of their own. */

const MAX_LENGTH = 60

const oneLine = (name: string) =>
  name
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\p{Cf}/gu, '')

const shortened = (name: string) => [...name.replace(/\s+/g, ' ').trim()].slice(0, MAX_LENGTH).join('').trim()

/** Returns one line of at most 60 characters, without anything that a mail program would turn into a link. */
export const plainName = (name: string) => shortened(oneLine(name).replace(/[:/\\@]|\.(?=\S)/g, ' '))

/** Returns the display name for an address: one line of at most 60 characters that can't pass as an address. */
export const displayName = (name: string) => shortened(oneLine(name).replace(/[<>@"\\]/g, ' '))
