/** What a mail server does wrong, in our own words: what it says itself may repeat a password. */
import { getSystemErrorName } from 'node:util'
import { HttpError } from '#kernel/errors.ts'
import { cleanText } from '../messages/structure.ts'

export type Side = 'imap' | 'smtp'
type Part = 'host' | 'encryption' | 'password'

/** 502 MAIL_SERVER_UNAVAILABLE. `part` is the setting that is to blame, for a test of the connection. */
export class MailServerError extends HttpError {
  readonly side: Side
  readonly part: Part

  constructor(side: Side, part: Part, message: string) {
    super(502, 'MAIL_SERVER_UNAVAILABLE', message)
    this.side = side
    this.part = part
  }

  /** The field of an account. */
  get field() {
    return `${this.side}_${this.part}`
  }
}

/** What the server says can't be understood: about one message, that is a reason to do without it. */
export class Unreadable extends MailServerError {
  constructor(side: Side, code: string) {
    super(side, 'host', `The ${side.toUpperCase()} server says something that can not be read (${code}).`)
  }
}

/** What a refusal may say of its reason (RFC 5530): other words of a server are not repeated. */
const REASONS = ['NOPERM', 'INUSE', 'UNAVAILABLE', 'CORRUPTION', 'CONTACTADMIN', 'SERVERBUG', 'LIMIT', 'NONEXISTENT']

/** The server says that it doesn't open a folder which it lists: about this one, that is no reason to do without the others. */
export class FolderRefused extends MailServerError {
  /** As people are told of it. */
  readonly folder: string

  constructor(path: string, code: unknown) {
    const folder = `“${cleanText(path, 100)}”${REASONS.includes(String(code)) ? ` (${code})` : ''}`
    super('imap', 'host', `The IMAP server does not open the folder ${folder}.`)
    this.folder = folder
  }
}

/** What comes of work on a folder; undefined where the server doesn't open it, of which `told` hears. */
export const unlessRefused = <T>(work: Promise<T>, told?: (refused: FolderRefused) => void): Promise<T | undefined> =>
  work.catch((error) => {
    if (!(error instanceof FolderRefused)) throw error
    told?.(error)
    return undefined
  })

/** What the two libraries hang on their errors. */
interface LibraryError {
  code?: unknown
  /** What nodemailer replaced by a code of its own: that of a certificate, under `ESOCKET` or `ETLS`. */
  originalCode?: unknown
  /** Of the operating system: nodemailer has a code of its own instead (`ESOCKET`). */
  errno?: number
  authenticationFailed?: boolean
  /** Of an SMTP server. */
  responseCode?: number
  tlsFailed?: boolean
}

/** Codes of what can't be read. */
export const UNREADABLE = /^(ParserError|LineTooLarge|LiteralTooLarge|ResponseTooLarge|ResponseProcessingFailed|MAX_IMAP_NESTING)/
const TIMEOUTS = ['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT', 'ETIMEOUT', 'ETIMEDOUT']
const UNREACHABLE = ['EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET', 'EPIPE']

/** A library's error as ours; what is ours already stays as it is. */
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
