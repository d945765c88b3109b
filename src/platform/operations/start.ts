/** Samples the process while it runs. */
import type { Services } from '#kernel/context.ts'
import { samplerOf } from './sampler.ts'

const EVERY = 10_000

export default async function sample(services: Services) {
  const take = samplerOf(services)
  const timer = setInterval(() => {
    take().catch((error) => services.log.warn({ err: error }, 'no sample was taken'))
  }, EVERY)
  timer.unref()
  return () => clearInterval(timer)
}
