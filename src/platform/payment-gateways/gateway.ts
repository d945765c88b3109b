/** What a payment gateway is. Another one is a file like stripe.ts and a line in gateways.ts. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '#kernel/config.ts'

export type Mode = 'sandbox' | 'live'
export type Credentials = Record<string, string>

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

/** One payment as a provider is asked for it. */
export interface Charge {
  /** Our name of it, under which the provider makes it at most once. */
  uuid: string
  tenant_id: number
  amount: string
  currency: string
  description: string
  /** When it was begun. */
  created_at: string
}

/** What the provider calls a workspace, and by what it may be charged. */
export interface Customer {
  customer: string
  payment_method: string | null
}

/** What became of a payment. News of one payment may come in any order: `succeeded` is final, and refunds only grow. */
export interface PaymentNews {
  uuid: string
  tenant_id: number
  status: 'pending' | 'succeeded' | 'failed'
  /** Pending with the bank, not with the customer. */
  underway?: boolean
  reference: string
  failure?: { code: string; message: string }
  /** In all, so far. */
  refunded?: string
  /** By what the next payment can be charged. */
  customer?: Customer
}

export interface ProviderEvent {
  id: string
  type: string
  occurred_at: string
  /** None: the event is about nothing of ours. */
  news?: PaymentNews
}

/**
 * A provider with the credentials of one mode. An answer says what is certain; what isn't certain (no answer, a fault on the other side)
 * is thrown, and asked again under the same uuid.
 */
export interface Provider {
  /** Asks whether the credentials are good, and gives the account's name. Throws the provider's reason. */
  test(): Promise<string>
  /** Charges a customer who isn't there. */
  charge(charge: Charge, customer: Customer): Promise<PaymentNews>
  /** A payment whose answer was lost; undefined when the provider has never heard of it. */
  find(charge: Charge, customer: Customer): Promise<PaymentNews | undefined>
  /** Makes the provider know a workspace. */
  register(tenant: { id: number; name: string; email: string }): Promise<Customer>
  /** A page of the provider on which the customer pays, good for an hour, and returns to `back`. `prices` are ids of mapped prices. */
  checkout(charge: Charge, customer: Customer, back: string, price: string | null): Promise<{ reference: string; url: string }>
  /** Reads a webhook; undefined when it isn't signed by the provider within the last minutes. */
  readEvent(raw: Buffer, headers: IncomingHttpHeaders, now: string): ProviderEvent | undefined
}
