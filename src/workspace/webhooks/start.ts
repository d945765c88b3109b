import type { Services } from '#kernel/context.ts'

/** Only processes that work the queue send webhooks, and load the code for it. */
export default async (services: Services) => {
  if (!services.queue.isWorking) return undefined
  const [{ startRunner }, { eventDispatcher }] = await Promise.all([
    import('#kernel/webhooks/runner.ts'),
    import('./dispatching.ts'),
  ])
  return startRunner(services, 'workspace', eventDispatcher())
}
