/** What a mail server does wrong, in our own words: what it says itself may repeat a password. */
import { getSystemErrorName } from 'node:util'
import { HttpError } from '#kernel/errors.ts'

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

/** What the two libraries hang on their errors. */
interface LibraryError {
  code?: unknown
  /** What nodemailer replaced by a code of its own: that of a certificate, under `ESOCKET` or `ETLS`. */
  originalCode?: unknown
  /** Of the operating system: nodemailer has a code of its own instead (`ESOCKET`). */
  errno?: number
  authenticationFailed?: boolean
  tlsFailed?: boolean
}

/** Codes of what can't be read. */
export const UNREADABLE = /^(ParserError|LineTooLarge|LiteralTooLarge|ResponseTooLarge|ResponseProcessingFailed|MAX_IMAP_NESTING)/
const TIMEOUTS = ['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT', 'ETIMEOUT', 'ETIMEDOUT']
const UNREACHABLE = ['EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET', 'EPIPE']

/** A library's error as ours; what is ours already stays as it is. */
export function failureOf(side: Side, error: unknown): Error {
  if (error instanceof HttpError) return error
  const { code, originalCode, errno = 0, authenticationFailed, tlsFailed } = error as LibraryError
  const server = `The ${side.toUpperCase()} server`
  const failure = (part: Part, what: string) => new MailServerError(side, part, `${server} ${what}`)
  const name = errno < 0 ? getSystemErrorName(errno) : String(originalCode ?? code ?? '')
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
