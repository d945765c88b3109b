/** Connection data of a mailbox. Passwords are encrypted in the database and decrypted only for a connection. */

import type { Services } from '#kernel/context.ts'
import type { Row } from '#kernel/records/resource.ts'
import type { SealedColumn } from '#kernel/secrets/secrets.ts'
import type { Side } from './failures.ts'
import type { Owner } from './slots.ts'

export const ENCRYPTIONS = ['ssl', 'starttls', 'none'] as const

/** Connection data of one of an account's servers, with the decrypted password. */
export interface Server {
  side: Side
  owner: Owner
  host: string
  port: number
  encryption: (typeof ENCRYPTIONS)[number]
  username: string
  password: string
}

const PURPOSE = 'mailbox password'
/** Encrypted columns, for the rotation of keys. */
export const sealedColumns: SealedColumn[] = (['imap_password', 'smtp_password'] as const).map((column) => ({
  table: 'email_accounts',
  column,
  purpose: PURPOSE,
}))

export const sealPassword = ({ secrets }: Services, password: string) => secrets.encrypt(PURPOSE, password)

/** Returns the IMAP or SMTP server of a stored account. */
export function serverOf({ secrets }: Services, account: Row<'email_accounts'>, side: Side): Server {
  return {
    side,
    owner: { tenantId: account.tenant_id, userId: account.user_id },
    host: account[`${side}_host`],
    port: account[`${side}_port`],
    encryption: account[`${side}_encryption`],
    username: account[`${side}_username`],
    password: secrets.decrypt(PURPOSE, account[`${side}_password`]),
  }
}
