/** What the pages behind mailed links need of notifications, and the console. */
export { unreadCount } from './notifications.ts'
export { readUnsubscribing, unsubscribe } from './unsubscribing.ts'
