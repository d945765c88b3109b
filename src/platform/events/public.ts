/** Events of the platform: recording and reading. */
export { extentOf, PlatformEvent, placePlatformEvents, platformEventsBetween, readPlatformFeed } from './feed.ts'
export { forgetChanges } from './forgetting.ts'
export { platformEventTypes, telling } from './telling.ts'
