/** Who moves money for us, in words that are no provider's own: for what the platform charges, and for what customers of workspaces pay. */
import type { IncomingHttpHeaders } from 'node:http'

export type Mode = 'sandbox' | 'live'
export type Credentials = Record<string, string>

/** One payment as a provider is asked for it. */
export interface Charge {
  /** Our name of it, under which the provider makes it at most once. */
  uuid: string
  tenant_id: number
  amount: string
  currency: string
  description: string
  /** Of whoever pays, as BCP 47 has it; none: as their browser says. */
  language?: string | undefined
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
  /** What came, where it succeeded and the news says so. */
  received?: { amount: string; currency: string }
  /** In all, so far. */
  refunded?: string
  /** By what the next payment can be charged. */
  customer?: Customer
}

/** `reference` is the provider's name of it. */
export interface CheckoutPage {
  reference: string
  url: string
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
  /**
   * A page of the provider on which the customer pays, good for an hour, and returns to `back`. `price` is the id of a mapped price. With a
   * `customer` their means of payment is kept for the next charge; null: whoever pays is nobody that the provider knows.
   */
  checkout(charge: Charge, customer: Customer | null, back: string, price: string | null): Promise<CheckoutPage>
  /** What became of a page; undefined as long as nothing did. */
  lookAt(reference: string): Promise<PaymentNews | undefined>
  /** Reads a webhook; undefined when it isn't signed by the provider within the last minutes. */
  readEvent(raw: Buffer, headers: IncomingHttpHeaders, now: string): ProviderEvent | undefined
}
