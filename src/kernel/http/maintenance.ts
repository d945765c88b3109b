/**
 * Maintenance mode (SET-11): while it is on, everything under /api/tenant/v1 answers 503, including sign-in and acceptance.
 * Redirects, webhooks, documents, health checks and the platform API stay available. The settings are cached, so that a request
 * costs no query.
 */
import { inPublic, originOf, type Services } from '../context.ts'
import { HttpError } from '../errors.ts'
import { readPlatformSettings } from '../modules/platform-settings.ts'

export interface Maintenance {
  /** Throws 503 if the route with this path is closed. */
  refuse(path: string): Promise<void>
}

/** Path patterns. The acceptance pages count as part of the workspace API. */
const CLOSED = /^\/(api\/tenant\/v1|accept)\//
const OPEN = /^\/api\/tenant\/v1\/webhooks\//

/** Maximum cache time: the invalidation message between processes may be lost. */
const REMEMBERED_MS = 30_000
/** Retry-After when no end is announced, in seconds. */
const RETRY_SECONDS = 300

/** Returns the maintenance check of a process, which caches the settings. */
export function maintenanceIn(services: Services): Maintenance {
  let remembered: { settings: ReturnType<typeof read>; until: number } | undefined
  const forget = () => (remembered = undefined)
  services.channel.on('platform-settings', forget, forget)

  return {
    async refuse(path) {
      if (!CLOSED.test(path) || OPEN.test(path)) return
      if (!remembered || remembered.until < performance.now()) {
        remembered = { settings: read(services), until: performance.now() + REMEMBERED_MS }
        remembered.settings.catch(forget)
      }
      const { maintenance_mode, maintenance_message, maintenance_eta: eta } = await remembered.settings
      if (!maintenance_mode) return
      const seconds = eta === null ? RETRY_SECONDS : (Date.parse(eta) - Date.parse(services.clock.now())) / 1000
      throw new HttpError(503, 'MAINTENANCE', maintenance_message || 'We are working on the service. Please try again later.', {
        data: { eta },
        headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds > 0 ? seconds : RETRY_SECONDS))) },
      })
    },
  }
}

const read = (services: Services) =>
  inPublic(originOf(services), 'read', (ctx) =>
    readPlatformSettings(ctx, ['maintenance_mode', 'maintenance_message', 'maintenance_eta']),
  )
