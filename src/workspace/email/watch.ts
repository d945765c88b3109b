/** Watches the inboxes of recently used mailboxes for a while. A push only triggers a normal synchronisation. */
import { sql } from 'kysely'
import QuickLRU from 'quick-lru'
import { z } from 'zod'
import { type Ctx, inPublic, originOf, type Services, type WorkspaceSteps } from '#kernel/context.ts'
import type { WorkspaceJob } from '#kernel/jobs/job.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import type { Row } from '#kernel/records/resource.ts'
import { byWorkspace } from '#kernel/tenancy/across.ts'
import { serverOf } from './connections/credentials.ts'
import { listenTo } from './connections/idle.ts'
import { syncMailbox } from './sync/jobs.ts'

// A process claims a mailbox for a minute and a half and renews the claim. Times are the database's.

const LEASE = sql`statement_timestamp() + interval '90 seconds'`
const LOOKED = sql`a.looked_at > statement_timestamp() - interval '10 minutes'`

interface Place {
  tenant_id: number
  id: number
}
export type Account = Row<'email_accounts'>

/** Claims a mailbox; undefined if another process watches it, or if its user no longer reads mail. */
export const claim = (steps: WorkspaceSteps, watcher: string, id: number): Promise<Account | undefined> =>
  steps.write(async (ctx) => {
    const { rows } = await sql<Account>`
      update email_accounts a set watcher = ${watcher}, watched_until = ${LEASE}
      where tenant_id = ${ctx.tenant.id} and id = ${id} and removed_at is null and ${LOOKED}
        and (watched_until is null or watched_until < statement_timestamp()) returning a.*`.execute(ctx.tx)
    return rows[0]
  })

/** Renews claims and returns the ones that are still this process's. */
export const renew = (services: Services, watcher: string, places: Place[]): Promise<Place[]> =>
  inPublic(originOf(services), 'write', (ctx) =>
    byWorkspace(ctx, places, async (some, within) => {
      const { rows } = await sql<Place>`
        update email_accounts a set watched_until = ${LEASE}
        from ${recordset(some)}, users u
        where a.tenant_id = place.tenant_id and a.id = place.id and ${within('a')} and a.watcher = ${watcher} and a.removed_at is null and ${LOOKED}
          and u.tenant_id = a.tenant_id and u.id = a.user_id and u.deleted_at is null and u.suspended_at is null
        returning a.tenant_id, a.id`.execute(ctx.tx)
      return rows
    }),
  )

/** Releases the claims of a process on mailboxes. */
export const release = (services: Services, watcher: string, places: Place[]) =>
  inPublic(originOf(services), 'write', (ctx) =>
    byWorkspace(ctx, places, async (some, within) => {
      await sql`
        update email_accounts a set watcher = null, watched_until = null from ${recordset(some)}
        where a.tenant_id = place.tenant_id and a.id = place.id and ${within('a')} and a.watcher = ${watcher}`.execute(ctx.tx)
      return []
    }),
  )

const recordset = (places: Place[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(places.map(({ tenant_id, id }) => ({ tenant_id, id })))}::jsonb) as place (tenant_id bigint, id bigint)`

/** Maximum connections of a process; the mailbox claimed longest ago makes room. */
const MAX = 200
const MAX_OF_WORKSPACE = 40
/** In milliseconds. */
const RENEW_EVERY = 30_000
const GATHER = 100
/** Minimum milliseconds between two synchronisations triggered by a server, because it may push without end. */
const SHORTEST_PAUSE = 2000

interface Watched extends Place {
  /** Ends the connection. */
  end(): void
}

/** Mailboxes that a process watches. */
interface Watching {
  watcher: string
  mailboxes: Map<string, Watched>
  end(): void
}

const all = new WeakMap<Services['queue'], Watching | 'stopped'>()
const keyOf = ({ tenant_id, id }: Place) => `${tenant_id} ${id}`

async function watch(steps: WorkspaceSteps, accountId: number) {
  const { services } = steps
  const watching = all.getOrInsertComputed(services.queue, () => begin(services))
  if (watching === 'stopped') return
  const account = await claim(steps, watching.watcher, accountId)
  if (!account) return
  if (all.get(services.queue) === 'stopped') return release(services, watching.watcher, [account]).then(() => {})
  const { tenant_id, id } = account
  const places = [...watching.mailboxes.values()]
  const ofWorkspace = places.filter((place) => place.tenant_id === tenant_id)
  const [oldest] = ofWorkspace.length >= MAX_OF_WORKSPACE ? ofWorkspace : places.length >= MAX ? places : []
  if (oldest) await forget(services, watching, [oldest])
  drop(watching, account) // its earlier claim has expired
  const end = listenTo(
    services,
    serverOf(services, account, 'imap'),
    gathered(() => synchroniseSoon(services, { tenant_id, id })),
  )
  watching.mailboxes.set(keyOf(account), { tenant_id, id, end })
}

function begin(services: Services): Watching {
  const watching: Watching = { watcher: crypto.randomUUID(), mailboxes: new Map(), end }
  const timer = setInterval(() => {
    renewAll(services, watching).catch((error) => services.log.warn({ err: error }, 'mailboxes can not be watched any longer'))
  }, RENEW_EVERY)
  timer.unref()
  const unlisten = services.channel.on('email.unwatch', async ({ tenant_id, account_id }) => {
    const place = watching.mailboxes.get(keyOf({ tenant_id, id: account_id }))
    if (place) await forget(services, watching, [place])
  })
  function end() {
    clearInterval(timer)
    unlisten()
  }
  return watching
}

async function renewAll(services: Services, watching: Watching) {
  const places = [...watching.mailboxes.values()]
  if (!places.length) return
  const ours = new Set((await renew(services, watching.watcher, places)).map(keyOf))
  await forget(
    services,
    watching,
    places.filter((place) => !ours.has(keyOf(place))),
  )
}

function drop({ mailboxes }: Watching, place: Place) {
  mailboxes.get(keyOf(place))?.end()
  mailboxes.delete(keyOf(place))
}

async function forget(services: Services, watching: Watching, places: Place[]) {
  for (const place of places) drop(watching, place)
  if (places.length) await release(services, watching.watcher, places)
}

/** Called when the process stops. */
export async function stopWatching(services: Services) {
  const watching = all.get(services.queue)
  all.set(services.queue, 'stopped')
  if (!watching || watching === 'stopped') return
  watching.end()
  await forget(services, watching, [...watching.mailboxes.values()])
}

function synchroniseSoon(services: Services, { tenant_id: tenantId, id }: Place) {
  inPublic(originOf(services), 'write', (ctx) => services.queue.send(ctx, syncMailbox, { account_id: id }, { tenantId })).catch(
    (error) => services.log.warn({ err: error }, 'news of a mailbox were lost'),
  )
}

/** Calls the work once for simultaneous pushes, and not again within the minimum pause. */
function gathered(work: () => void) {
  let waits = false
  let last = Number.NEGATIVE_INFINITY
  return () => {
    if (waits) return
    waits = true
    setTimeout(
      () => {
        waits = false
        last = performance.now()
        work()
      },
      Math.max(GATHER, last + SHORTEST_PAUSE - performance.now()),
    ).unref()
  }
}

const Data = z.object({ account_id: z.int() })

/** Job: the process that runs it watches the mailbox from then on. */
export const watchMailbox: WorkspaceJob<z.output<typeof Data>> = defineWorkspaceJob({
  name: 'email-watch',
  data: Data,
  unique: 'waiting',
  key: ({ account_id }) => account_id,
  transactions: 'own',
  run: (steps, { account_id }) => watch(steps, account_id),
})

declare module '#kernel/database/channel.ts' {
  interface Topics {
    /** Published when an account's settings change or it is disconnected. */
    'email.unwatch': { tenant_id: number; account_id: number }
  }
}

/** Interval at which a process stores that a mailbox is being read, in milliseconds. */
const TOLD_EVERY = 60_000
const MAX_TOLD = 10_000
const told = new WeakMap<Services['queue'], QuickLRU<string, true>>()

/** Stores that the mailbox is being read, after the reading transaction and without delaying the request. */
export function markLooked(ctx: Ctx, accountId: number) {
  const { services, tenant } = ctx
  const lately = told.getOrInsertComputed(services.queue, () => new QuickLRU({ maxSize: MAX_TOLD, maxAge: TOLD_EVERY }))
  const key = `${tenant.id} ${accountId}`
  ctx.afterCommit(() => {
    if (lately.has(key)) return
    lately.set(key, true)
    mark(services, tenant.id, accountId).catch((error) => services.log.warn({ err: error }, 'a look at a mailbox was not noted'))
  })
}

const mark = (services: Services, tenantId: number, accountId: number) =>
  inPublic(originOf(services), 'write', async (ctx) => {
    const { rows } = await sql<{ is_watched: boolean }>`
      update email_accounts set looked_at = statement_timestamp()
      where tenant_id = ${tenantId} and id = ${accountId} and removed_at is null
      returning coalesce(watched_until > looked_at, false) as is_watched`.execute(ctx.tx)
    if (rows[0] && !rows[0].is_watched) await services.queue.send(ctx, watchMailbox, { account_id: accountId }, { tenantId })
  })

/** Notifies all processes, after the commit, to stop watching the mailbox. */
export const unwatch = (ctx: Ctx, account_id: number) =>
  ctx.afterCommit(() => ctx.services.channel.publish('email.unwatch', { tenant_id: ctx.tenant.id, account_id }))
