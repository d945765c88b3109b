/** The record of an endpoint, with what was delivered to it. */
export { WebhookEndpoint as default } from '#console/client/screens/deliveries.tsx'
