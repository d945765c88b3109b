/** Events as other modules follow them. */
export { Event, readFeed } from './feed.ts'
export { behind, KEPT, placeEvents } from './placing.ts'
