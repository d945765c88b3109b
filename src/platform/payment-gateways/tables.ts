/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated } from '#kernel/database/tables.ts'

export interface PaymentCustomers {
  customer: string
  gateway_id: number
  mode: string
  payment_method: string | null
  tenant_id: number
}

export interface PaymentGatewayEvents {
  created_at: string
  deliveries: Generated<number>
  event_id: string
  gateway_id: number
  id: Generated<number>
  mode: string
  occurred_at: string
  outcome: 'processed' | 'ignored'
  type: string
}

export interface PaymentGatewayLogs {
  action: string
  created_at: string
  gateway_id: number
  id: Generated<number>
  is_success: boolean
  message: string | null
  mode: string
}

export interface PaymentGatewayPrices {
  gateway_id: number
  module_id: number
  monthly_price_id: string | null
  yearly_price_id: string | null
}

export interface PaymentGateways {
  code: string
  created_at: string
  id: Generated<number>
  is_configured: boolean
  is_enabled: boolean
  last_tested_at: string | null
  mode: Generated<'sandbox' | 'live'>
  name: string
  revision: Generated<number>
  sealed_live: Buffer | null
  sealed_sandbox: Buffer | null
  updated_at: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    payment_customers: PaymentCustomers
    payment_gateway_events: PaymentGatewayEvents
    payment_gateway_logs: PaymentGatewayLogs
    payment_gateway_prices: PaymentGatewayPrices
    payment_gateways: PaymentGateways
  }
}
