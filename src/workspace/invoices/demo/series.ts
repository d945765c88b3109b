/** Two demo series: the first began a year ago, the second in the last quarter. Both are active. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import type { Plan } from '#kernel/demo/parts.ts'
import { insertTimeline } from '#kernel/demo/stories.ts'
import { occurrenceOn } from '../recurrence.ts'

const subjects = {
  en: [
    { name: 'Storage in the cold store, monthly', quantity: '1', unit_price: '480.00', tax_rate: '10.1' },
    { name: 'Fruit basket for the office, monthly', quantity: '4', unit_price: '36.00', tax_rate: '0' },
  ],
  de: [
    { name: 'Miete der Siebträgermaschine, monatlich', quantity: '1', unit_price: '129.00', tax_rate: '19' },
    { name: 'Kaffee-Abo für das Büro, monatlich', quantity: '6', unit_price: '22.50', tax_rate: '7' },
  ],
}
const MONTHS_AGO = [12, 3]

export interface Occurrence {
  series: number
  line: { name: string; quantity: string; unit_price: string; tax_rate: string }
  on: string
  at: string
  isRoot: boolean
}

/** Returns all occurrences until now; the first of each series is its root. */
export function seriesOf(ctx: Ctx, { calendar, say }: Plan) {
  return say(subjects).flatMap((line, series) => {
    // In the middle of a month, so that every month has the day.
    const begun = Temporal.PlainDate.from(ctx.today()).subtract({ months: MONTHS_AGO[series]! }).with({ day: 15 }).toString()
    const dates = Array.from({ length: MONTHS_AGO[series]! + 1 }, (_, n) => occurrenceOn(begun, 'monthly', n))
    return dates
      .map((on): Occurrence => ({ series, line, on, at: `${on}T12:00:00.000Z`, isRoot: on === begun }))
      .filter(({ at }) => at < ctx.now)
      .map((occurrence) => ({ day: calendar.dayOf(occurrence.at), occurrence }))
  })
}

/** Makes the first invoice of each series the root of the others. */
export async function joinSeries(ctx: Ctx, made: { id: number; occurrence: Occurrence }[]) {
  for (const all of Map.groupBy(made, ({ occurrence }) => occurrence.series).values()) {
    const [root, ...others] = all as [(typeof made)[number], ...typeof made]
    const anchor = root.occurrence.on
    const next = occurrenceOn(anchor, 'monthly', others.length + 1)
    await sql`
      update invoices set is_recurring = true, recurrence_frequency = 'monthly', recurrence_status = 'active', recurrence_anchor_on = ${anchor}::date,
        recurrence_occurrence = ${others.length + 1}, recurrence_next_issue_on = ${next}::date
      where tenant_id = ${ctx.tenant.id} and id = ${root.id}`.execute(ctx.tx)
    const { rows } = await sql<{ id: number; number: string; at: string }>`
      update invoices i set recurring_source_invoice_id = ${root.id}, occurrence_on = given.on
      from jsonb_to_recordset(${JSON.stringify(others.map(({ id, occurrence: { on } }) => ({ id, on })))}::jsonb) as given (id bigint, "on" date)
      where i.tenant_id = ${ctx.tenant.id} and i.id = given.id returning i.id, i.number, i.created_at as at`.execute(ctx.tx)
    const told = rows.map(({ id, number, at }) => ({
      ...{ id: root.id, type: 'recurrence_generated', properties: { invoice_id: id, number }, at, by: null },
    }))
    const started = { id: root.id, type: 'recurrence_started', at: root.occurrence.at, by: null }
    const next_on = occurrenceOn(anchor, 'monthly', 1)
    await insertTimeline(ctx, 'invoices', [{ ...started, properties: { next_on } }, ...told])
  }
}
