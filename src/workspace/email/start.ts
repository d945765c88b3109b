import type { Services } from '#kernel/context.ts'
import { stopWatching } from './watch.ts'

/** Nothing is watched yet: a job begins it, so only processes that work the queue do. */
export default async (services: Services) => () => stopWatching(services)
