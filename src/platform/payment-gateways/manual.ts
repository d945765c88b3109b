import type { Gateway } from './gateway.ts'

/** Payment by bank transfer, outside the service. */
export const manual: Gateway = {
  code: 'manual',
  name: 'Bank transfer',
  credentials: [],
  needsPriceMapping: false,
  hasWebhook: false,
}
