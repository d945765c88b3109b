/** Page of an endpoint with its deliveries. */
export { WebhookEndpoint as default } from '#console/client/screens/deliveries.tsx'
