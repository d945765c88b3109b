/** What a payment gateway is. Another one is a file like stripe.ts and a line in gateways.ts. */
import type { Config } from '#kernel/config.ts'
import type { Credentials, Mode, Provider } from '#kernel/payment-providers/provider.ts'

export interface Gateway {
  code: string
  name: string
  /** What an operator enters for each mode; all of it makes the gateway configured. */
  credentials: readonly string[]
  /** The mode that a credential is for, where it tells. One of the other mode is refused. */
  modeOf?(credential: string): Mode | undefined
  /** Its provider wants to know the catalogue's modules by ids of its own (BIL-11). */
  needsPriceMapping: boolean
  /** Its provider tells what became of payments. */
  hasWebhook: boolean
  /** Who moves the money. None: invoices stay open until somebody else does, and nobody is ever past due. */
  provider?(config: Config, mode: Mode, credentials: Credentials): Promise<Provider>
}
