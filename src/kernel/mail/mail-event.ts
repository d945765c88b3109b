/** What happened to a mail, in our words. */
import type { Selectable } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { mailEvents } from '../modules/declared-settings.ts'

/** A row of the e-mail log. */
export type LoggedMail = Selectable<DB['email_logs']>

export type MailEventType = (typeof mailEvents)[number]

/** An event of a mail, whoever told it. */
export interface MailEvent {
  type: MailEventType
  /** The provider's id of the mail; `uuid` is ours, where the provider gives it back. */
  messageId: string | null
  uuid: string | null
  recipient: string | null
  /** A hard bounce: the address takes no mail, today or tomorrow. */
  permanent: boolean
  /** What the other side said, or what was clicked. */
  detail: string | null
  occurredAt: string
  /** What names the event at its provider, where something does. */
  id: string | null
}
