/** Files of leads that were read in: the visitors of a fair, of whom some were known, and a list that waits for its mapping. */
import { Readable } from 'node:stream'
import type { Ctx } from '#kernel/context.ts'
import { addressAt, domainOf } from '#kernel/demo/names.ts'
import type { Plan } from '#kernel/demo/parts.ts'
import { insertAll, insertRows } from '#kernel/records/many-rows.ts'
import { keepUpload, receiveUpload } from '#kernel/storage/uploads.ts'
import { keepChunk } from './chunks.ts'
import { suggestedMapping } from './fields.ts'
import { importFile } from './reading/table.ts'

const HEADERS = ['Name', 'Email', 'Company', 'Note']
const files = {
  en: ['visitors-of-the-food-fair.csv', 'new-restaurants.csv'],
  de: ['messebesucher.csv', 'neueroeffnungen.csv'],
}
const notes = {
  en: ['Asked for samples', 'Opens in May', 'Wants the price list', ''],
  de: ['Bittet um Proben', 'Eröffnet im Mai', 'Möchte die Preisliste', ''],
}
const ROWS = 24
const KNOWN = 3
/** Rows that could not be read in. */
const WRONG = [9, 17]

export async function makeImports(ctx: Ctx, plan: Plan) {
  const [fair, list] = plan.say(files) as [string, string]
  await readIn(ctx, plan, fair)
  await waiting(ctx, plan, list)
}

async function readIn(ctx: Ctx, plan: Plan, name: string) {
  const at = plan.calendar.instant(plan.calendar.days - 30)!
  const by = plan.people[0]!.id
  const rows = rowsOf(plan)
  const [id] = await insertRows(ctx, 'lead_imports', [
    {
      ...(await uploaded(ctx, name, rows)),
      ...{ status: 'completed' as const, mapping: suggestedMapping(HEADERS), duplicate_mode: 'skip' as const },
      ...{ processed_rows: ROWS, imported_count: ROWS - KNOWN - WRONG.length, skipped_count: KNOWN },
      ...{ duplicate_count: KNOWN, failed_count: WRONG.length, run_by: by, created_by: by },
      ...{ started_at: at, finished_at: at, created_at: at, updated_at: at, revision: 4 },
    },
  ])
  const failures = WRONG.map((row_number) => ({
    ...{ import_id: id!, row_number, cells: rows[row_number - 2] as never, created_at: at },
    ...{ reason: 'email: Must be an e-mail address.', errors: { email: ['Must be an e-mail address.'] } as never },
  }))
  await insertAll(ctx, 'lead_import_failures', failures)
  const known = await ctx.tx
    .selectFrom('leads')
    .select('id as lead_id')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('created_at', '<', at)
    .orderBy('id', 'desc')
    .limit(KNOWN)
    .execute()
  await insertAll(
    ctx,
    'lead_import_duplicates',
    known.map((lead) => ({ ...lead, import_id: id! })),
  )
}

async function waiting(ctx: Ctx, plan: Plan, name: string) {
  const at = plan.calendar.instant(plan.calendar.days - 1)!
  const rows = rowsOf(plan)
  const file = await uploaded(ctx, name, rows)
  const [id] = await insertRows(ctx, 'lead_imports', [
    { ...file, created_by: plan.people[0]!.id, created_at: at, updated_at: at },
  ])
  await keepChunk(ctx, id!, 0, JSON.stringify(rows.map((cells, n) => ({ n: n + 2, cells }))))
}

const rowsOf = (plan: Plan) =>
  Array.from({ length: ROWS }, (_, n) => {
    const name = plan.names.person()
    const firm = `${plan.names.surname()} Bistro`
    const email = WRONG.includes(n + 2) ? 'n/a' : addressAt(name, domainOf(firm))
    return [name, email, firm, plan.random.pick(plan.say(notes))]
  })

async function uploaded(ctx: Ctx, name: string, rows: string[][]) {
  const content = Readable.from([Buffer.from([HEADERS, ...rows].map((cells) => cells.join(',')).join('\n'))])
  const file = await receiveUpload(ctx.services, ctx.tenant.id, { name, content }, importFile)
  if (typeof file === 'string') throw new Error(`${name}: ${file}`)
  await keepUpload(ctx, file)
  return { file_name: name, file_key: file.key, mime: 'text/csv; charset=utf-8', headers: HEADERS, total_rows: rows.length }
}
