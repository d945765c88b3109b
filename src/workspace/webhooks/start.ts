import type { Services } from '#kernel/context.ts'

/** Only processes that work the queue send, and load what that takes. */
export default async (services: Services) =>
  services.queue.isWorking ? (await import('./runner.ts')).startRunner(services) : undefined
