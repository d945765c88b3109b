/**
 * Demo data. Each module fills its part (`demo.ts`) of an empty workspace, of the platform, or of both. The kernel orders the
 * parts and provides users, calendar and random numbers. The same seed gives the same data, whatever other modules are installed.
 */
import { faker as german } from '@faker-js/faker/locale/de'
import { faker as english } from '@faker-js/faker/locale/en'
import { sql } from 'kysely'
import {
  type BaseCtx,
  type Ctx,
  inWorkspace,
  onPlatform,
  originOf,
  type PlatformCtx,
  type Services,
  systemOperator,
} from '../context.ts'
import type { Module } from '../modules/module.ts'
import type { WorkspaceSettings } from '../names.ts'
import { systemSession } from '../tenancy/session.ts'
import { type Calendar, calendarOf } from './calendar.ts'
import { type Random, randomFrom, seedOf } from './chance.ts'
import { type Names, namesIn } from './people.ts'

declare module '../modules/module.ts' {
  interface Manifest {
    /** Loads the module's part of the demo data. */
    demo?: () => Promise<{ default: DemoPart }>
  }
  interface Modules {
    demos(): Promise<{ module: Module; demo: DemoPart }[]>
  }
}

/** A module's part of the demo data. */
export interface DemoPart {
  /** Set for the part that runs before all others: the users, who create everything else. */
  first?: true
  /**
   * Modules whose parts run before this one, in addition to those that the manifest requires or uses. A used module that runs
   * after this one is an exception.
   */
  after?: string[]
  /** Settings of the module for a demo workspace of each language. */
  settings?: Record<'en' | 'de', Partial<WorkspaceSettings>>
  /** Fills the workspace. Returns the number of created records. */
  fill?(ctx: Ctx, plan: Plan): Promise<number>
  /** Fills the platform after its workspaces. Data of an earlier run stays unchanged. */
  fillPlatform?(ctx: PlatformCtx, plan: PlatformPlan): Promise<number>
}

export const defineDemo = (part: DemoPart) => part

interface CommonPlan {
  /** For word pools only. Too slow to call for each of 100,000 rows. */
  faker: typeof english
  random: Random
  calendar: Calendar
  /** Reports progress of this part, from 0 to 1. */
  progress(done: number): void
}

/** Input of a part in a workspace. */
export interface Plan extends CommonPlan {
  /** Number of purchase orders. Other record counts are proportional to it. */
  records: number
  /** Returns a share of `records`, within bounds. */
  share(part: number, bounds: { least: number; most: number }): number
  /** Users of the workspace. */
  people: { id: number; name: string }[]
  /** Generator of people and places in the workspace's language. */
  names: Names
  /** Returns the text in the workspace's language: German, or English for all others. */
  say<T>(texts: { en: T; de: NoInfer<T> }): T
}

/** Input of a part on the platform. */
export interface PlatformPlan extends CommonPlan {
  /** Workspaces created by this run. */
  workspaces: { id: number; slug: string; name: string; email: string }[]
}

/** Progress of a module's part, from 0 to 1. */
export interface Progress {
  module: Module
  done: number
  /** Number of created records, once the part is done. */
  made?: number
}

type Report = (progress: Progress) => void

/** Fills a workspace. Each part runs in its own transaction. */
export async function fillDemo(
  services: Services,
  tenantId: number,
  { records, seed, report }: { records: number; seed: number; report?: Report },
) {
  const session = await systemSession(services, tenantId)
  const installed = (await services.modules.demos()).filter(
    ({ module: { core, key }, demo }) => demo.fill && (core || session.modules.has(key)),
  )
  const calendar = calendarOf(session.tenant.timezone, services.clock.now())
  const language = /^de\b/.test(session.tenant.locale) ? 'de' : 'en'
  const faker = language === 'de' ? german : english
  const share: Plan['share'] = (part, { least, most }) => Math.min(most, Math.max(least, Math.round(records * part)))
  for (const part of inOrder(installed))
    await fillOne(services, part, { seed, faker, report }, 'fill', (fill, begin) =>
      inWorkspace(originOf(services), session, 'write', async (ctx) => {
        const people = await ctx.tx
          .selectFrom('users')
          .select(['id', 'name'])
          .where('tenant_id', '=', tenantId)
          .where('suspended_at', 'is', null)
          .orderBy('id')
          .execute()
        await withoutTimeout(ctx)
        await keepSettings(ctx, part.demo.settings?.[language] ?? {})
        const common = begin()
        const made = await fill(ctx, {
          ...common,
          calendar,
          people,
          records,
          share,
          names: namesIn(language, common.random),
          say: (texts) => texts[language],
        })
        await sumTallies(ctx)
        return made
      }),
    )
  await lookAgain(services)
}

/** Fills the platform's data for workspaces that were filled before. */
export async function fillPlatformDemo(
  services: Services,
  tenantIds: number[],
  { seed, report }: { seed: number; report?: Report },
) {
  const calendar = calendarOf('UTC', services.clock.now())
  const parts = (await services.modules.demos()).filter(({ demo }) => demo.fillPlatform)
  for (const part of inOrder(parts))
    await fillOne(services, part, { seed, faker: english, report }, 'fillPlatform', (fill, begin) =>
      onPlatform(originOf(services), systemOperator, 'write', async (ctx) => {
        const workspaces = await ctx.tx
          .selectFrom('tenants')
          .select(['id', 'slug', 'workspace_name as name', 'email'])
          .where('id', 'in', tenantIds)
          .orderBy('id')
          .execute()
        return fill(ctx, { ...begin(), calendar, workspaces })
      }),
    )
}

async function keepSettings(ctx: Ctx, settings: Partial<WorkspaceSettings>) {
  const rows = Object.entries(settings).map(([key, value]) => ({ key, value: JSON.stringify(value) }))
  if (rows.length)
    await ctx.tx
      .insertInto('workspace_settings')
      .values(rows.map((setting) => ({ ...setting, tenant_id: ctx.tenant.id, updated_at: ctx.now })))
      .execute()
}

type Kind = 'fill' | 'fillPlatform'

/**
 * Runs one part and reports its progress. The generator is seeded inside the transaction, so that a retry creates the same data.
 */
async function fillOne<K extends Kind>(
  services: Services,
  { module, demo }: Part,
  { seed, faker, report }: { seed: number; faker: typeof english; report?: Report },
  kind: K,
  run: (fill: NonNullable<DemoPart[K]>, begin: () => Omit<CommonPlan, 'calendar'>) => Promise<number>,
) {
  const fill = demo[kind]
  if (!fill) return
  const tell = (done: number, made?: number) => report?.({ module, done, made })
  tell(0)
  const own = seedOf(`${seed} ${module.key}`)
  const made = await run(fill, () => {
    faker.seed(own)
    return { faker, random: randomFrom(own), progress: tell }
  })
  tell(1, made)
  if (made >= MANY) await lookAgain(services)
}

/** Number of created records from which the tables are analysed before the next part. */
const MANY = 2000

/** Updates the planner's statistics for the parts that follow and for the service. */
const lookAgain = ({ database }: Services) => database.statement('VACUUM (ANALYZE)', [])

/**
 * Sums the tallies of a workspace. Every statement adds differences, which the service sums over time; after so many rows it is
 * done at once.
 */
const sumTallies = (ctx: Ctx) =>
  sql`select app.sum_tallies(kind) from (select distinct kind from record_tallies where tenant_id = ${ctx.tenant.id}) k`.execute(
    ctx.tx,
  )

/** Disables the statement timeout: one statement may write 300,000 rows, each checked by several foreign keys. */
const withoutTimeout = (ctx: BaseCtx) => sql`set local statement_timeout = 0`.execute(ctx.tx)

type Part = { module: Module; demo: DemoPart }

/** Orders parts: the core first, then each part after those it depends on. Throws on a cycle. */
export function inOrder(parts: Part[]): Part[] {
  const ordered = new Set<Part>()
  const comesBefore = (first: Part, part: Part) =>
    part.demo.after?.includes(first.module.key) ||
    part.module.requires?.includes(first.module.key) ||
    (part.module.uses?.includes(first.module.key) && !first.demo.after?.includes(part.module.key))
  const add = (part: Part, behind: Part[]) => {
    if (behind.includes(part)) throw new Error(`The demo of ${part.module.key} comes after itself`)
    for (const first of parts) if (comesBefore(first, part)) add(first, [...behind, part])
    ordered.add(part)
  }
  for (const part of parts) if (part.demo.first) ordered.add(part)
  for (const part of parts) if (part.module.core) add(part, [])
  for (const part of parts) add(part, [])
  return [...ordered]
}
