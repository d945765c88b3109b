/** Exports for the public routes that receive leads. */
export { answerChallenge, byPlatform, Challenge, Received, receiveNotification } from './social-ads/notifications.ts'
export { Callback, finishGrant } from './social-ads/oauth.ts'
export { byEndpoint } from './webhooks/auth-strategy.ts'
export { ReceivedLead, receive } from './webhooks/received-leads.ts'
