import type { Services } from '#kernel/context.ts'
import { startRunner } from './runner.ts'

/** Only processes that work the queue send. */
export default async (services: Services) => (services.queue.isWorking ? startRunner(services) : undefined)
