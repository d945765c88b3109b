/**
 * Demo data. Each module fills its own part (`demo.ts`): of an empty workspace, of the platform, or of both. The kernel puts the parts
 * in order and gives them people, time and chance. The same seed gives the same data, whichever other modules there are.
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
    /** Its part of the demo data. */
    demo?: () => Promise<{ default: DemoPart }>
  }
  interface Modules {
    demos(): Promise<{ module: Module; demo: DemoPart }[]>
  }
}

export interface DemoPart {
  /** Comes before all others: the people, who do everything else. */
  first?: true
  /** Modules whose part comes first, besides those that the manifest requires and uses (unless they in turn come after this one). */
  after?: string[]
  /** Settings of the module that a firm of each language has made. */
  settings?: Record<'en' | 'de', Partial<WorkspaceSettings>>
  /** Fills the workspace and tells how many records that made. */
  fill?(ctx: Ctx, plan: Plan): Promise<number>
  /** Fills the platform, once its workspaces are filled. What another run has made already stays as it is. */
  fillPlatform?(ctx: PlatformCtx, plan: PlatformPlan): Promise<number>
}

export const defineDemo = (part: DemoPart) => part

interface CommonPlan {
  /** For pools of words; too slow to be asked for each of 100,000 rows. */
  faker: typeof english
  random: Random
  calendar: Calendar
  /** How much of this part is done, 0 to 1. */
  progress(done: number): void
}

export interface Plan extends CommonPlan {
  /** Purchase orders; everything else is in proportion. */
  records: number
  /** A share of `records`, within bounds. */
  share(part: number, bounds: { least: number; most: number }): number
  /** Who works in the workspace. */
  people: { id: number; name: string }[]
  /** Made-up people and places of the workspace's language. */
  names: Names
  /** What is written in the workspace's language: German, or English for any other. */
  say<T>(texts: { en: T; de: NoInfer<T> }): T
}

export interface PlatformPlan extends CommonPlan {
  /** The workspaces that were made this time. */
  workspaces: { id: number; slug: string; name: string; email: string }[]
}

export interface Progress {
  module: Module
  done: number
  /** Records made, once the part is filled. */
  made?: number
}

type Report = (progress: Progress) => void

/** Fills a workspace, each part in a transaction of its own. */
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

/** Fills the platform around workspaces that were filled before. */
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

/** One part, reported, and seeded where its transaction begins: one that is tried again makes the same. */
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

/** Records of a part from which on it pays to look at the tables before the next. */
const MANY = 2000

/** Later parts, and the service, shall plan with what is there. */
const lookAgain = ({ database }: Services) => database.statement('VACUUM (ANALYZE)', [])

/** Every statement has left its differences in the tallies. The service sums them up by and by; after so many, it is done at once. */
const sumTallies = (ctx: Ctx) =>
  sql`select app.sum_tallies(kind) from (select distinct kind from record_tallies where tenant_id = ${ctx.tenant.id}) k`.execute(
    ctx.tx,
  )

/** One statement may write 300,000 rows, each checked by several foreign keys: that takes longer than a request's statement may. */
const withoutTimeout = (ctx: BaseCtx) => sql`set local statement_timeout = 0`.execute(ctx.tx)

type Part = { module: Module; demo: DemoPart }

/** The core first, then each part behind those that it builds on. */
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
