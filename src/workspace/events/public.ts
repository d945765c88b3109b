/** Events as other modules follow them. */
export { type Event, readFeed } from './feed.ts'
export { placeEvents } from './placing.ts'
