/** Errors of mail servers, in our own words: a server's text may repeat a password. */
import { getSystemErrorName } from 'node:util'
import { HttpError } from '#kernel/errors.ts'
import { cleanText } from '../messages/structure.ts'

export type Side = 'imap' | 'smtp'
type Part = 'host' | 'encryption' | 'password'

/** 502 MAIL_SERVER_UNAVAILABLE. `part` is the setting that caused it, for a test of the connection. */
export class MailServerError extends HttpError {
  readonly side: Side
  readonly part: Part

  constructor(side: Side, part: Part, message: string) {
    super(502, 'MAIL_SERVER_UNAVAILABLE', message)
    this.side = side
    this.part = part
  }

  /** The account's field that caused the failure. */
  get field() {
    return `${this.side}_${this.part}`
  }
}

/** The server's response can't be parsed. If it concerns a single message, that message is skipped. */
export class Unreadable extends MailServerError {
  constructor(side: Side, code: string) {
    super(side, 'host', `The ${side.toUpperCase()} server says something that can not be read (${code}).`)
  }
}

/** Response codes of RFC 5530 that are shown as the reason; any other text of a server is not repeated. */
const REASONS = ['NOPERM', 'INUSE', 'UNAVAILABLE', 'CORRUPTION', 'CONTACTADMIN', 'SERVERBUG', 'LIMIT', 'NONEXISTENT']

/** The server refuses to open a folder that it lists. Other folders are still synchronised. */
export class FolderRefused extends MailServerError {
  /** The folder and reason as shown to users. */
  readonly folder: string

  constructor(path: string, code: unknown) {
    const folder = `“${cleanText(path, 100)}”${REASONS.includes(String(code)) ? ` (${code})` : ''}`
    super('imap', 'host', `The IMAP server does not open the folder ${folder}.`)
    this.folder = folder
  }
}

/** Returns the result of work on a folder. If the server refuses to open the folder, calls `told` and returns undefined. */
export const unlessRefused = <T>(work: Promise<T>, told?: (refused: FolderRefused) => void): Promise<T | undefined> =>
  work.catch((error) => {
    if (!(error instanceof FolderRefused)) throw error
    told?.(error)
    return undefined
  })

/** Properties that the two libraries add to their errors. */
interface LibraryError {
  code?: unknown
  /** The original code of an error for which nodemailer set its own: that of a certificate, under `ESOCKET` or `ETLS`. */
  originalCode?: unknown
  /** The operating system's error number; nodemailer sets a code of its own instead (`ESOCKET`). */
  errno?: number
  authenticationFailed?: boolean
  /** Reply code of an SMTP server. */
  responseCode?: number
  tlsFailed?: boolean
}

/** Codes of responses that can't be parsed. */
export const UNREADABLE = /^(ParserError|LineTooLarge|LiteralTooLarge|ResponseTooLarge|ResponseProcessingFailed|MAX_IMAP_NESTING)/
const TIMEOUTS = ['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT', 'ETIMEOUT', 'ETIMEDOUT']
const UNREACHABLE = ['EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET', 'EPIPE']

/** Converts a library's error into one of ours; an error of ours is returned as it is. */
export function failureOf(side: Side, error: unknown): Error {
  if (error instanceof HttpError) return error
  const { code, originalCode, errno = 0, authenticationFailed, responseCode = 0, tlsFailed } = error as LibraryError
  const server = `The ${side.toUpperCase()} server`
  const failure = (part: Part, what: string) => new MailServerError(side, part, `${server} ${what}`)
  const name = errno < 0 ? getSystemErrorName(errno) : String(originalCode ?? code ?? '')
  if (name === 'EAUTH' && responseCode >= 400 && responseCode < 500) return failure('host', 'lets nobody sign in at the moment.')
  if (authenticationFailed || name === 'EAUTH') return failure('password', 'refuses the user name or the password.')
  if (UNREADABLE.test(name)) return new Unreadable(side, name)
  if (TIMEOUTS.includes(name)) return failure('host', 'did not answer in time.')
  if (name === 'ECONNREFUSED') return failure('host', 'takes no connections at this port.')
  if (UNREACHABLE.includes(name)) return failure('host', 'can not be reached.')
  if (/CERT|SIGNATURE|ALTNAME/.test(name)) return failure('encryption', `shows a certificate that can not be trusted (${name}).`)
  if (tlsFailed || name === 'ETLS' || name === 'MissingServerExtension' || /^ERR_(SSL|TLS)/.test(name))
    return failure('encryption', 'does not take this kind of encryption.')
  return failure('host', 'did not do what it was asked.')
}
