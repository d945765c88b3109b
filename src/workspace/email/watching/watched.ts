/** The mailboxes that this process watches. What they tell leads to an ordinary synchronisation, and to nothing else. */
import { inPublic, originOf, type Services, type WorkspaceSteps } from '#kernel/context.ts'
import { serverOf } from '../connections/credentials.ts'
import { listenTo } from '../connections/listening.ts'
import { syncMailbox } from '../sync/jobs.ts'
import { claim, type Place, release, renew } from './claims.ts'

/** Connections of a process; whoever was claimed longest ago makes room. */
const MAX = 200
const MAX_OF_WORKSPACE = 40
/** In milliseconds. */
const RENEW_EVERY = 30_000
const GATHER = 100
/** Between two synchronisations that a server asks for: it may tell news without end. */
const SHORTEST_PAUSE = 2000

interface Watched extends Place {
  /** Ends the connection. */
  end(): void
}

/** What a process watches. */
interface Watching {
  watcher: string
  mailboxes: Map<string, Watched>
  end(): void
}

const all = new WeakMap<Services['queue'], Watching | 'stopped'>()
const keyOf = ({ tenant_id, id }: Place) => `${tenant_id} ${id}`

export async function watch(steps: WorkspaceSteps, accountId: number) {
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
  drop(watching, account) // whose claim had run out
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

/** At the end of the process. */
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

/** Once for what is told at the same time, and not again too soon. */
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
