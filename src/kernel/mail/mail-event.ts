/** Provider-independent events of a mail. */
import type { Selectable } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { mailEvents } from '../modules/declared-settings.ts'

/** Row of the e-mail log. */
export type LoggedMail = Selectable<DB['email_logs']>

export type MailEventType = (typeof mailEvents)[number]

/** Event of a mail, from any provider. */
export interface MailEvent {
  type: MailEventType
  /** Provider's id of the mail. `uuid` is ours, if the provider returns it. */
  messageId: string | null
  uuid: string | null
  recipient: string | null
  /** Hard bounce: the address rejects mail for good. */
  permanent: boolean
  /** Reply of the recipient's server, or the clicked link. */
  detail: string | null
  occurredAt: string
  /** Provider's id of the event, if there is one. */
  id: string | null
}
