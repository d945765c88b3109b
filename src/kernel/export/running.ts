/** Limits concurrent exports of this process: each holds a batch of rows while its client reads. */
import type { Services, WorkspaceSteps } from '../context.ts'
import { unavailable } from '../errors.ts'

const OF_USER = 6
const OF_WORKSPACE = 12

const counts = new WeakMap<Services['queue'], Map<string, number>>()

/** Counts an export of the actor, and returns the function that ends it. Throws 503 EXPORTS_BUSY if too many are running. */
export function beginExport({ services, tenant, actor }: Pick<WorkspaceSteps, 'services' | 'tenant' | 'actor'>): () => void {
  const running = counts.getOrInsertComputed(services.queue, () => new Map())
  const places = [
    { key: `${tenant.id}`, most: OF_WORKSPACE },
    { key: `${tenant.id} ${actor.id}`, most: OF_USER },
  ]
  if (places.some(({ key, most }) => (running.get(key) ?? 0) >= most))
    throw unavailable('Other exports are under way: wait until they are read to their end.', {
      code: 'EXPORTS_BUSY',
      seconds: 10,
    })
  for (const { key } of places) running.set(key, (running.get(key) ?? 0) + 1)
  return () => {
    for (const { key } of places) {
      const left = running.get(key)! - 1
      if (left) running.set(key, left)
      else running.delete(key)
    }
  }
}
