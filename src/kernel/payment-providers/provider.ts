/** Provider-independent interface for payments: charges of the platform, and payments of workspaces' customers. */
import type { IncomingHttpHeaders } from 'node:http'

export type Mode = 'sandbox' | 'live'
export type Credentials = Record<string, string>

/** Payment request to a provider. */
export interface Charge {
  /** Idempotency key: the provider makes at most one payment for it. */
  uuid: string
  tenant_id: number
  amount: string
  currency: string
  description: string
  /** Payer's language as a BCP 47 tag. Default: the browser's. */
  language?: string | undefined
  /** Creation time. */
  created_at: string
}

/** Provider's id of a workspace, and the stored payment method. */
export interface Customer {
  customer: string
  payment_method: string | null
}

/**
 * State of a payment as reported by its provider. Events of one payment may arrive in any order: `succeeded` is final, and
 * refunds only increase.
 */
export interface PaymentNews {
  uuid: string
  tenant_id: number
  status: 'pending' | 'succeeded' | 'failed'
  /** Whether a pending payment waits for the bank rather than the customer. */
  underway?: boolean
  reference: string
  failure?: { code: string; message: string }
  /** Received amount, if the payment succeeded and the provider reports it. */
  received?: { amount: string; currency: string }
  /** Total refunded so far. */
  refunded?: string
  /** Customer and payment method for the next charge. */
  customer?: Customer
}

/** Hosted payment page. `reference` is the provider's id. */
export interface CheckoutPage {
  reference: string
  url: string
}

/** Event of a provider's webhook. */
export interface ProviderEvent {
  id: string
  type: string
  occurred_at: string
  /** Absent if the event doesn't concern one of our payments. */
  news?: PaymentNews
}

/**
 * Provider with the credentials of one mode. Methods return definite results. Uncertain ones (no reply, an error of the provider)
 * are thrown, and the caller retries with the same uuid.
 */
export interface Provider {
  /** Checks the credentials and returns the account's name. Throws the provider's error. */
  test(): Promise<string>
  /** Charges a customer's stored payment method (off-session). */
  charge(charge: Charge, customer: Customer): Promise<PaymentNews>
  /** Finds a payment whose reply was lost; undefined if the provider has none. */
  find(charge: Charge, customer: Customer): Promise<PaymentNews | undefined>
  /** Registers a workspace as the provider's customer. */
  register(tenant: { id: number; name: string; email: string }): Promise<Customer>
  /**
   * Creates a hosted payment page that is valid for an hour and returns to `back`. `price` is the id of a mapped price. With a
   * `customer`, the payment method is stored for later charges; null for an anonymous payer.
   */
  checkout(charge: Charge, customer: Customer | null, back: string, price: string | null): Promise<CheckoutPage>
  /** Returns the payment's state of a page; undefined before any attempt. */
  lookAt(reference: string): Promise<PaymentNews | undefined>
  /** Parses a webhook; undefined unless the provider signed it within the last minutes. */
  readEvent(raw: Buffer, headers: IncomingHttpHeaders, now: string): ProviderEvent | undefined
}
