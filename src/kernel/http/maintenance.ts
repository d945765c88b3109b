/**
 * Maintenance (SET-11): while it lasts, everything under /api/tenant/v1 is a 503, sign-in and acceptance included. Redirects, webhooks,
 * documents, health and the operator's API go on. What the settings say is remembered, so that a request costs no query.
 */
import { inPublic, originOf, type Services } from '../context.ts'
import { HttpError } from '../errors.ts'
import { readPlatformSettings } from '../modules/platform-settings.ts'

export interface Maintenance {
  /** 503 on a route that is closed, by its path. */
  refuse(path: string): Promise<void>
}

/** Patterns of paths: the pages of acceptance are those of the workspace API, for people. */
const CLOSED = /^\/(api\/tenant\/v1|accept)\//
const OPEN = /^\/api\/tenant\/v1\/webhooks\//

/** A message between processes may be lost: nothing is remembered longer. */
const REMEMBERED_MS = 30_000
/** Where no instant is announced. */
const RETRY_SECONDS = 300

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
