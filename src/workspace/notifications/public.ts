/** Exports for the console and for the pages of mailed links. */
export { unreadCount } from './notifications.ts'
export { readUnsubscribing, unsubscribe } from './unsubscribing.ts'
