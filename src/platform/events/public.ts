/** Events of the platform, as its areas tell and follow them. */
export { extentOf, PlatformEvent, placePlatformEvents, platformEventsBetween, readPlatformFeed } from './feed.ts'
export { forgetChanges } from './forgetting.ts'
export { platformEventTypes, telling } from './telling.ts'
