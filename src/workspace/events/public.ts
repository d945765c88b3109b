/** Events for other modules. */
export { Event, readFeed } from './feed.ts'
export { behind, placeEvents } from './placing.ts'
