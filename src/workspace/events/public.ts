/** Events as other modules follow them. */
export { Event, readFeed } from './feed.ts'
export { behind, placeEvents } from './placing.ts'
