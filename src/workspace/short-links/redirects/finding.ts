/**
 * Where codes lead, from memory where that was asked within the last second. Changes of links are told between processes; should such a
 * message be lost, or a workspace be closed, it takes effect when what is remembered is too old.
 */
import QuickLRU from 'quick-lru'
import type { Database } from '#kernel/database/connect.ts'
import { platformSettings } from '#kernel/modules/platform-settings.ts'
import { type Destination, targetOf } from '../destination.ts'

/** A link that may be followed, unless it has expired meanwhile. */
export interface Found {
  tenantId: number
  linkId: number
  target: string
  expiresAt: string | null
  /** False: its workspace is closed, or has the module no more. */
  open: boolean
  brand: string
}

/** Nothing there, or nothing that leads anywhere: whose page says so. */
export interface Missing {
  target: null
  brand: string
}

interface Remembered {
  found: Promise<Found | Missing>
  /** By the process's own clock, which never goes back. */
  until: number
}

/** Milliseconds, from the moment in which the database is asked. */
const REMEMBERED_FOR = 900
/** Up to twice as many, of some 4 KB at most. */
const MOST_REMEMBERED = 10_000
const CODE = /^[a-z0-9-]{3,64}$/

export function finderIn(database: Database) {
  const remembered = new QuickLRU<string, Remembered>({ maxSize: MOST_REMEMBERED })

  async function lookUp(asked: string): Promise<Found | Missing> {
    const [row] = await database.statement<LookedUp>('SELECT * FROM app.short_link_at($1)', [CODE.test(asked) ? asked : ''])
    if (!row!.is_live) return { target: null, brand: row!.brand ?? platformSettings.app_name.default }
    const { tenant_id, link_id, expires_at, is_open, brand } = row!
    return { tenantId: tenant_id, linkId: link_id, target: targetOf(row!), expiresAt: expires_at, open: is_open, brand }
  }

  return {
    /** By code or uuid, whatever its case. Those who ask for the same at the same time wait for the same answer. */
    find(given: string): Promise<Found | Missing> {
      const asked = given.toLowerCase()
      const now = performance.now()
      const known = remembered.get(asked)
      if (known && known.until > now) return known.found
      const found = lookUp(asked)
      remembered.set(asked, { found, until: now + REMEMBERED_FOR })
      found.catch(() => remembered.delete(asked))
      return found
    },
    forget: (asked: string) => void remembered.delete(asked),
    forgetAll: () => remembered.clear(),
  }
}

/** A row of app.short_link_at: all but the brand is null where there is no link. */
interface LookedUp extends Destination {
  tenant_id: number
  link_id: number
  is_live: boolean
  is_open: boolean
  expires_at: string | null
  brand: string
}
