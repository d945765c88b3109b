/** Leads, for the public routes by which they arrive. */
export { byEndpoint } from './webhooks/entrance.ts'
export { ReceivedLead, receive } from './webhooks/receiving.ts'
