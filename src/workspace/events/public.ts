/** Events as other modules follow them. */
export { type Event, readFeed } from './feed.ts'
export { KEPT, placeEvents } from './placing.ts'
