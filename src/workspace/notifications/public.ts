/** What the pages behind mailed links need of notifications. */
export { readUnsubscribing, unsubscribe } from './unsubscribing.ts'
