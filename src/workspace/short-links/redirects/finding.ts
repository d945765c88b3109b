/**
 * Looks up the target of a code, cached for about a second. Processes announce changes of links and entitlements to each other.
 * Should a message be lost, the change takes effect when the cache entry expires.
 */
import QuickLRU from 'quick-lru'
import type { Database } from '#kernel/database/connect.ts'
import { platformSettings } from '#kernel/modules/declared-settings.ts'
import { placeOfUuid } from '#kernel/tenancy/placed-uuids.ts'
import { type Destination, targetOf } from '../destination.ts'
import { gathering } from './gathering.ts'

export interface Link {
  tenantId: number
  linkId: number
  target: string
  /** Whether the visitor's query is appended. */
  forwardsQuery: boolean
  expiresAt: string | null
  /** Name of the workspace, for pages. */
  brand: string
  /** Whether links of the workspace may be followed. False: the workspace is closed or lacks the module. Null: it is deleted. */
  open: boolean | null
}

/** No workspace: the platform's own pages. */
const NOBODY = 0

/** Lifetime of a cache entry in milliseconds, from the start of the query. */
const REMEMBERED_FOR = 900
/** The cache stores up to twice as many; a link takes 4 KB at most. */
const MAX_LINKS = 10_000
const CODE = /^[a-z0-9-]{3,64}$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function finderIn(database: Database) {
  const lookUp = gathering(
    async (codes: string[]) => {
      const rows = await database.statement<LinkRow>('SELECT * FROM app.short_links_followed($1)', [codes])
      return new Map(rows.map((row) => [row.asked, row.is_live ? linkOf(row) : undefined]))
    },
    { apart: database.isCluster },
  )
  const links = remembering(MAX_LINKS, async (asked: string) => {
    if (!CODE.test(asked)) return undefined
    const code = database.isCluster && UUID.test(asked) ? await codeOf(database, asked) : undefined
    return lookUp(code ?? asked)
  })
  const platform = remembering(1, async (id: number) => {
    const [row] = await database.statement<{ name: string | null }>('SELECT name FROM app.short_link_workspace($1)', [id])
    return row!.name ?? platformSettings.app_name.default
  })
  return {
    /** Returns a link that may be followed until it expires, by its code or uuid in any letter case. */
    link: (asked: string) => links.ask(asked.toLowerCase()),
    /** Brand of the page where there is no link. */
    platformBrand: () => platform.ask(NOBODY),
    forgetLink: links.forget,
    forgetAll() {
      links.forgetAll()
      platform.forgetAll()
    },
  }
}

/** On a cluster: returns the code of a link in the workspace that its uuid contains. Queries that workspace's machine only. */
async function codeOf(database: Database, uuid: string): Promise<string | undefined> {
  const place = placeOfUuid(uuid)
  if (place === NOBODY) return undefined
  const link = await database.workspace(place, 'read', (tx) =>
    tx.selectFrom('short_links').select('code').where('tenant_id', '=', place).where('uuid', '=', uuid).executeTakeFirst(),
  )
  return link?.code
}

interface LinkRow extends Destination {
  asked: string
  tenant_id: number
  link_id: number
  forwards_query: boolean
  is_live: boolean
  expires_at: string | null
  workspace_name: string | null
  is_open: boolean | null
}

const linkOf = (row: LinkRow): Link => ({
  tenantId: row.tenant_id,
  linkId: row.link_id,
  target: targetOf(row),
  forwardsQuery: row.forwards_query,
  expiresAt: row.expires_at,
  brand: row.workspace_name ?? platformSettings.app_name.default,
  open: row.is_open,
})

/** Cache with a short lifetime. Concurrent requests for a key share one query. */
function remembering<K, V>(most: number, lookUp: (key: K) => Promise<V>) {
  const remembered = new QuickLRU<K, { answer: Promise<V>; until: number }>({ maxSize: most })
  return {
    ask(key: K): Promise<V> {
      const now = performance.now() // monotonic
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
