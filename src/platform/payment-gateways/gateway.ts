/** Interface of payment gateways. To add one, add a file like stripe.ts and a line in gateways.ts. */
import type { Config } from '#kernel/config.ts'
import type { Credentials, Mode, Provider } from '#kernel/payment-providers/provider.ts'

/** Payment gateway in the code. */
export interface Gateway {
  code: string
  name: string
  /** Names of the credentials of each mode. The gateway is configured once all are set. */
  credentials: readonly string[]
  /** Returns the mode of a credential, if its format shows it. Credentials of the other mode are rejected. */
  modeOf?(credential: string): Mode | undefined
  /** Whether the provider needs its own ids for the catalogue's modules (BIL-11). */
  needsPriceMapping: boolean
  /** Whether the provider reports payments by webhooks. */
  hasWebhook: boolean
  /**
   * Provider that moves the money. Absent: invoices stay open until they are marked as paid otherwise, and are never past due.
   */
  provider?(config: Config, mode: Mode, credentials: Credentials): Promise<Provider>
}
