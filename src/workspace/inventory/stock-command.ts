/** `npm run stock`: compares stock balances with their movements, and recomputes them. */
import { parseArgs } from 'node:util'
import pino from 'pino'
import type { Config } from '#kernel/config.ts'
import { inWorkspace, originOf, type Services } from '#kernel/context.ts'
import { startServices } from '#kernel/process/start.ts'
import { systemSession } from '#kernel/tenancy/session.ts'
import { type Drift, drifts, rebuild } from './reconciling.ts'

const usage = `npm run stock -- check|rebuild [--workspace SLUG]
  check        names the balances that are not the sum of their movements; ends with 1 when there are any
  rebuild      sets them to that sum
  --workspace  in one workspace instead of all`

const SHOWN = 20

export default async function stock(args: string[], config: Config) {
  const options = readOptions(args)
  const services = await startServices(config, { worker: false, command: true, log: pino({ level: 'error' }) })
  try {
    let [workspaces, drifted] = [0, 0]
    for await (const found of reconcile(services, options)) {
      workspaces++
      drifted += found.drifted
      printDrift(found)
    }
    console.log(
      `${workspaces} workspaces compared, ${drifted} balances drifted${drifted && options.rebuild ? ' and are right again' : ''}.`,
    )
    if (drifted && !options.rebuild) process.exitCode = 1
  } finally {
    await services.stop()
  }
}

function readOptions(args: string[]) {
  const { values, positionals } = parseArgs({ args, options: { workspace: { type: 'string' } }, allowPositionals: true })
  const [command, ...more] = positionals
  if ((command !== 'check' && command !== 'rebuild') || more.length) throw new Error(`Say check or rebuild.\n${usage}`)
  return { rebuild: command === 'rebuild', workspace: values.workspace }
}

interface Found {
  slug: string
  drifted: number
  /** The first drifted balances. */
  first: Drift[]
}

/** Processes each workspace in a transaction of its own, one after the other. Throws if the named one doesn't exist. */
export async function* reconcile(services: Services, options: { rebuild: boolean; workspace?: string }): AsyncGenerator<Found> {
  for await (const { id, slug } of workspacesOf(services, options.workspace)) {
    const session = await systemSession(services, id)
    yield await inWorkspace(originOf(services), session, options.rebuild ? 'write' : 'read', async (ctx) => {
      const found: Found = { slug, drifted: 0, first: [] }
      for await (const some of drifts(ctx)) {
        if (options.rebuild) await rebuild(ctx, some)
        found.drifted += some.length
        found.first.push(...some.slice(0, SHOWN - found.first.length))
      }
      return found
    })
  }
}

const PAGE = 500

async function* workspacesOf({ database }: Services, slug: string | undefined) {
  for (let last = 0; ; ) {
    const page = await database.platform('read', (tx) => {
      const live = tx.selectFrom('tenants').select(['id', 'slug']).where('deleted_at', 'is', null).where('id', '>', last)
      return (slug === undefined ? live : live.where('slug', '=', slug)).orderBy('id').limit(PAGE).execute()
    })
    if (slug !== undefined && !page.length && !last) throw new Error(`There is no workspace ${slug}.`)
    yield* page
    if (page.length < PAGE) return
    last = page.at(-1)!.id
  }
}

function printDrift({ slug, drifted, first }: Found) {
  if (!drifted) return
  console.log(`${slug}: ${drifted} drifted`)
  for (const { sku, warehouse, on_hand, moved } of first)
    console.log(`  ${sku} in ${warehouse}: ${on_hand} on hand, ${moved} by its movements`)
  if (drifted > first.length) console.log(`  … and ${drifted - first.length} more`)
}
