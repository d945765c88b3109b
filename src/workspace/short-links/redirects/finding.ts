/**
 * Where codes lead, from memory where that was asked within the last second. Changes of links and of what workspaces may do are told
 * between processes; should such a message be lost, the change takes effect when what is remembered is too old.
 */
import QuickLRU from 'quick-lru'
import type { Database } from '#kernel/database/connect.ts'
import { platformSettings } from '#kernel/modules/declared-settings.ts'
import { type Destination, targetOf } from '../destination.ts'

export interface Link {
  tenantId: number
  linkId: number
  target: string
  expiresAt: string | null
}

export interface Host {
  name: string
  /** False: it is closed, or has the module no more. Null: it is gone, or there never was one. */
  open: boolean | null
}

/** No workspace: the platform's own pages. */
export const NOBODY = 0

/** Milliseconds, from the moment in which the database is asked. */
const REMEMBERED_FOR = 900
/** Up to twice as many; a link takes 4 KB at most. */
const MOST_LINKS = 10_000
const MOST_WORKSPACES = 5000
const CODE = /^[a-z0-9-]{3,64}$/

export function finderIn(database: Database) {
  const links = remembering(MOST_LINKS, async (asked: string): Promise<Link | undefined> => {
    if (!CODE.test(asked)) return undefined
    const [row] = await database.statement<LinkRow>('SELECT * FROM app.short_link_at($1)', [asked])
    if (!row?.is_live) return undefined
    return { tenantId: row.tenant_id, linkId: row.link_id, target: targetOf(row), expiresAt: row.expires_at }
  })
  const workspaces = remembering(MOST_WORKSPACES, async (id: number): Promise<Host> => {
    const [row] = await database.statement<HostRow>('SELECT * FROM app.short_link_workspace($1)', [id])
    return { name: row!.name ?? platformSettings.app_name.default, open: row!.is_open }
  })
  return {
    /** A link that may be followed until it expires, by its code or uuid in whatever case. */
    link: (asked: string) => links.ask(asked.toLowerCase()),
    workspace: workspaces.ask,
    forgetLink: links.forget,
    forgetWorkspace: workspaces.forget,
    forgetAll() {
      links.forgetAll()
      workspaces.forgetAll()
    },
  }
}

/** All of it is null where there is no such link. */
interface LinkRow extends Destination {
  tenant_id: number
  link_id: number
  is_live: boolean | null
  expires_at: string | null
}

interface HostRow {
  name: string | null
  is_open: boolean | null
}

/** Answers, remembered for a short time. Those who ask for the same at the same time wait for the same answer. */
function remembering<K, V>(most: number, lookUp: (key: K) => Promise<V>) {
  const remembered = new QuickLRU<K, { answer: Promise<V>; until: number }>({ maxSize: most })
  return {
    ask(key: K): Promise<V> {
      const now = performance.now() // which never goes back
      const known = remembered.get(key)
      if (known && known.until > now) return known.answer
      const answer = lookUp(key)
      remembered.set(key, { answer, until: now + REMEMBERED_FOR })
      answer.catch(() => remembered.delete(key))
      return answer
    },
    forget: (key: K) => void remembered.delete(key),
    forgetAll: () => remembered.clear(),
  }
}
