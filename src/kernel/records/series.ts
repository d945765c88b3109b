/** Time series of a list: the number of records, or the sum of a field, per day, week or month of one of their dates. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { invalid } from '../errors.ts'
import { choice, date, exact, kindOf } from '../values/fields.ts'
import { decimal } from '../values/money.ts'
import type { Listing, ListQuery } from './listing.ts'
import type { View } from './view.ts'

const UNITS = ['day', 'week', 'month'] as const
type Unit = (typeof UNITS)[number]
/** Number of periods if no start is given. */
const USUAL: Record<Unit, number> = { day: 30, week: 26, month: 12 }
const MAX_PERIODS = 400
/** Maximum number of lines: currencies times values of the split field. */
const MAX_LINES = 50

/** Time series of a list, with the query and reply of its route. */
export interface Series {
  query: z.core.$ZodType<ListQuery>
  reply: z.ZodObject
  read(ctx: Ctx, query: ListQuery): Promise<unknown>
}

interface SeriesSpec<Column extends string> {
  /**
   * Dates by which records can be grouped, the default first. Each must be a sort of the list, whose index then finds the records
   * of a time span.
   */
  by: readonly [Column, ...Column[]]
  /** Available figures, the default first: the number of records, or the sum of a field. */
  of?: readonly ['count' | Column, ...('count' | Column)[]]
  /** Default length of a period; a month if not given. */
  unit?: Unit
  /** Fields by which the records of a period can be split. */
  splits?: readonly Column[]
  /** Statuses included in sums, without drafts and voided records. Default: all. */
  summed?: readonly string[]
}

interface Asked {
  by: string
  unit: Unit
  of: string
  split?: string
  from?: string
  to?: string
}

/** Defines the reply of a list's `GET /series`, under the list's filters and the caller's visibility. */
export function seriesOf<V extends View>(
  name: string,
  list: Listing<V, Ctx>,
  spec: SeriesSpec<keyof V['shape'] & string>,
): Series {
  const { by, of: told = ['count'], unit: usual = 'month', splits = [], summed }: SeriesSpec<string> = spec
  const { table, item } = list.of
  const shape = item.shape as Record<string, z.core.$ZodType>
  const column = (named: string) => sql.ref(`${table}.${named}`)
  const hasCurrency = 'currency' in shape
  const isInstant = (named: string) => kindOf(shape[named]!).instant === true
  const query = list.filtersWith({
    by: choice(by).default(by[0]).describe('By which of their days records lie in a period.'),
    unit: choice(UNITS).default(usual).describe('How long a period is. A week begins on Monday.'),
    of: choice(told)
      .default(told[0])
      .meta({ description: 'What is told of each period: how many there are, or what a field of theirs adds up to.' }),
    ...(splits.length
      ? {
          split: choice(splits as [string, ...string[]])
            .optional()
            .meta({ description: 'By which field the records of a period are told apart.' }),
        }
      : {}),
    from: date()
      .optional()
      .meta({ description: 'A day in the first period. Without it so many as are usual: 12 months, 26 weeks, 30 days.' }),
    to: date().optional().meta({ description: 'A day in the last period; without it today.' }),
  })

  const reply = z
    .object({
      by: choice(by).describe('By which of their days records lie in a period.'),
      unit: choice(UNITS).describe('How long a period is.'),
      of: choice(told).describe('What is told of each period.'),
      periods: z
        .array(date())
        .meta({ description: 'The first day of each, all of them, the oldest first.', examples: [['2026-11-01']] }),
      lines: z
        .array(
          z.object({
            value: z
              .string()
              .nullable()
              .meta({ description: 'Of the field that it is split by; null: it is not split.', examples: ['paid'] }),
            currency: z
              .string()
              .nullable()
              .meta({
                description: 'Of a sum whose records say their currency; null: they don’t, or it is no sum.',
                examples: ['EUR'],
              }),
            total: exact().meta({ description: 'What it comes to over all periods.', examples: [42] }),
            values: z.array(exact()).meta({ description: 'One for each period; 0 where there is nothing.', examples: [[42]] }),
          }),
        )
        .describe(
          `One for each currency and word, the largest first; at most ${MAX_LINES}. None: there is nothing in that span.`,
        ),
    })
    .meta({ id: name })

  async function read(ctx: Ctx, sent: ListQuery) {
    const { by: day, unit, of, split, ...span } = sent as ListQuery & Asked
    const { first, periods } = periodsOf(ctx, unit, span)
    const end = next(periods.at(-1)!, unit)
    const [start, stop] = isInstant(day) ? [first, end].map((one) => midnight(ctx, one)) : [first, end].map(String)
    const local = isInstant(day) ? sql`${column(day)} at time zone ${ctx.tenant.timezone}` : sql`${column(day)}::timestamp`
    const isSum = of !== 'count'
    const counts = isSum && summed ? sql`and ${column('status')} in (${sql.join(summed)})` : sql``
    const { rows } = await sql<{ period: string; value: string | null; currency: string | null; figure: string }>`
      select to_char(date_trunc(${sql.lit(unit)}, ${local}), 'YYYY-MM-DD') as period,
        ${split ? column(split) : sql`null::text`} as value,
        ${isSum && hasCurrency ? column('currency') : sql`null::text`} as currency,
        ${isSum ? sql`coalesce(sum(${column(of)}), 0)` : sql`count(*)`}::text as figure
      from ${sql.table(table)}
      where ${list.condition(ctx, sent)} and ${column(day)} >= ${start} and ${column(day)} < ${stop} ${counts}
      group by 1, 2, 3`.execute(ctx.tx)
    const placeOf = new Map(periods.map((one, n) => [one.toString(), n]))
    const lines = [...Map.groupBy(rows, ({ value, currency }) => JSON.stringify([value, currency])).values()].map((some) => {
      const values = periods.map(() => '0')
      for (const { period, figure } of some) values[placeOf.get(period)!] = figure
      return { value: some[0]!.value, currency: some[0]!.currency, total: added(values), values }
    })
    const bySize = lines.toSorted(
      (a, b) => decimal(b.total).cmp(decimal(a.total)) || (String(a.value) < String(b.value) ? -1 : 1),
    )
    return { by: day, unit, of, periods: periods.map(String), lines: bySize.slice(0, MAX_LINES) }
  }

  return { query, reply, read }
}

const added = (values: string[]) => values.reduce((sum, value) => sum.plus(value), decimal(0)).toFixed()

/** Returns the requested full periods. Throws 422 on `from` or `to` if there are too many, or none. */
function periodsOf(ctx: Ctx, unit: Unit, { from, to }: Pick<Asked, 'from' | 'to'>) {
  const last = beginning(Temporal.PlainDate.from(to ?? ctx.today()), unit)
  const first = from ? beginning(Temporal.PlainDate.from(from), unit) : last.subtract({ [`${unit}s`]: USUAL[unit] - 1 })
  if (Temporal.PlainDate.compare(first, last) > 0) throw invalid({ to: 'Must not be before from.' })
  if (first.year < 2 || last.year > 9998)
    throw invalid({ [first.year < 2 ? 'from' : 'to']: 'Must be a day of the years 2 to 9998.' })
  const count = Math.round(first.until(last, { largestUnit: unit })[`${unit}s`]) + 1
  if (count > MAX_PERIODS) throw invalid({ from: `Must be at most ${MAX_PERIODS} ${unit}s before to.` })
  return { first, periods: Array.from({ length: count }, (_, n) => first.add({ [`${unit}s`]: n })) }
}

const beginning = (day: Temporal.PlainDate, unit: Unit) =>
  unit === 'month' ? day.with({ day: 1 }) : unit === 'week' ? day.subtract({ days: day.dayOfWeek - 1 }) : day
const next = (day: Temporal.PlainDate, unit: Unit) => day.add({ [`${unit}s`]: 1 })
const midnight = (ctx: Ctx, day: Temporal.PlainDate) => day.toZonedDateTime(ctx.tenant.timezone).toInstant().toString()
