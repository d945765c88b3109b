export { noteEvents, type SubscriptionEvent } from './history.ts'
