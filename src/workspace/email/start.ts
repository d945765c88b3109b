import type { Services } from '#kernel/context.ts'
import { stopWatching } from './watch.ts'

/** Watching starts with a job, so only processes that work the queue do it. */
export default async (services: Services) => () => stopWatching(services)
