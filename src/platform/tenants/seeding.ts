/** Workspaces that have a module already are seeded too, when the module gains an installation or a newer one. */
import { type BaseCtx, enterWorkspace, type Services, writeAsSystem } from '#kernel/context.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { LIVE } from '#kernel/modules/subscriptions.ts'

/** Seeds one workspace after the other, each in a transaction of its own: a worker that is killed leaves the rest to the next. */
export const seedModules = defineJob({
  name: 'modules-seed',
  unique: 'waiting',
  async run(services) {
    for (const [key, version] of await versionsOf(services)) while (await seedNext(services, key, version));
  },
})

/** At each start: looks whether there is anything to seed. */
export default async function seedWhatIsNew(services: Services) {
  const behind = await writeAsSystem(services, async (ctx) => {
    for (const [key, version] of await versionsOf(services))
      if (await nextBehind(ctx, key, version)) {
        await services.queue.send(ctx, seedModules, {})
        return true
      }
    return false
  })
  if (behind) services.log.info('workspaces will be seeded with what their modules bring')
}

async function versionsOf({ modules }: Services): Promise<[key: string, version: number][]> {
  const all = [...modules.workspace.keys()].map(async (key) => [key, (await modules.installation(key))?.version ?? 0] as const)
  return (await Promise.all(all)).filter(([, version]) => version > 0).map(([key, version]) => [key, version])
}

/** One workspace's module whose seeds are older than its code, locked; whoever else seeds takes another one. */
const nextBehind = (ctx: BaseCtx, key: string, version: number) =>
  ctx.tx
    .selectFrom('module_subscriptions')
    .select(['tenant_id', 'id', 'seeded_version'])
    .where('module_key', '=', key)
    .where('status', 'in', LIVE)
    .where((eb) => eb.or([eb('seeded_version', 'is', null), eb('seeded_version', '<', version)]))
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()

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
