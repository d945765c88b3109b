/** Seeds workspaces that already have a module when the module gets an installation or a newer version of it. */
import { sql } from 'kysely'
import { type BaseCtx, type Services, writeAsSystem } from '#kernel/context.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { LIVE } from '#kernel/modules/subscriptions.ts'
import { lockAcross } from '#kernel/tenancy/across.ts'
import { enterWorkspace } from '#kernel/tenancy/session.ts'

/** Seeds workspaces one by one, each in its own transaction: if a worker is killed, the next one continues. */
export const seedModules = defineJob({
  name: 'modules-seed',
  unique: 'waiting',
  async run(services) {
    for (const [key, version] of await versionsOf(services)) while (await seedNext(services, key, version));
  },
})

/** Checks at each start whether there is anything to seed, by one index entry per module. */
export default async function seedWhatIsNew(services: Services) {
  const versions = await versionsOf(services)
  const oldest = versions.map(
    ([key]) => sql`(select min(${seededVersion}) from module_subscriptions where module_key = ${key} and ${isLive})`,
  )
  const { rows } = await services.database.platform('read', (tx) =>
    sql<{ seeded: (number | null)[] }>`select array[${sql.join(oldest)}]::integer[] as seeded`.execute(tx),
  )
  if (!versions.some(([, version], n) => (rows[0]!.seeded[n] ?? version) < version)) return
  await writeAsSystem(services, (ctx) => services.queue.send(ctx, seedModules, {}))
  services.log.info('workspaces will be seeded with what their modules bring')
}

/** Literals as in the index: statuses as parameters would prevent a prepared plan from using it. */
const seededVersion = sql<number>`coalesce(seeded_version, 0)`
const isLive = sql<boolean>`status in (${sql.join(LIVE.map(sql.lit))})`

async function versionsOf({ modules }: Services): Promise<[key: string, version: number][]> {
  const all = [...modules.workspace.keys()].map(async (key) => [key, (await modules.installation(key))?.version ?? 0] as const)
  return (await Promise.all(all)).filter(([, version]) => version > 0).map(([key, version]) => [key, version])
}

/** Locks one workspace's module with outdated seeds. Concurrent workers get different ones. */
async function nextBehind(ctx: BaseCtx, key: string, version: number) {
  const [behind] = await lockAcross(ctx, (within, lock) =>
    ctx.tx
      .selectFrom('module_subscriptions')
      .select(['tenant_id', 'id', 'seeded_version'])
      .where('module_key', '=', key)
      .where(isLive)
      .where(seededVersion, '<', version)
      .where(within('module_subscriptions'))
      .orderBy(seededVersion)
      .limit(1)
      .$if(lock, (query) => query.forUpdate().skipLocked())
      .execute(),
  )
  return behind
}

const seedNext = (services: Services, key: string, version: number) =>
  writeAsSystem(services, async (ctx) => {
    const behind = await nextBehind(ctx, key, version)
    if (!behind) return false
    const installation = (await services.modules.installation(key))!
    await enterWorkspace(ctx, behind.tenant_id, (inside) => installation.seed(inside, behind.seeded_version ?? 0))
    await ctx.tx
      .updateTable('module_subscriptions')
      .set({ seeded_version: version })
      .where('tenant_id', '=', behind.tenant_id)
      .where('id', '=', behind.id)
      .execute()
    return true
  })
