/** Interface of payment gateways for the billing engine and webhooks. */

export type { Charge, Customer, Mode, PaymentNews } from '#kernel/payment-providers/provider.ts'
export { providerOf } from './credentials.ts'
export { customersOf, registered, rememberCustomer } from './customers.ts'
export {
  type GatewayRow,
  gatewayCalled,
  gatewayOfNewInvoices,
  gatewayWords,
  storeWithGateways,
  usableGateways,
} from './gateways.ts'
export { logAction } from './logs.ts'
export { priceOf } from './module-prices.ts'
export { receiveEvent } from './webhooks.ts'
