/** Inbound leads of a demo workspace: imported files, the website's form, a partner's portal, and ads. */
import { Readable } from 'node:stream'
import type { Ctx } from '#kernel/context.ts'
import { addressAt, domainOf } from '#kernel/demo/names.ts'
import type { Plan } from '#kernel/demo/parts.ts'
import { importFile } from '#kernel/import/file.ts'
import { insertAll, insertRows } from '#kernel/records/many-rows.ts'
import { keepUpload, receiveUpload } from '#kernel/storage/uploads.ts'
import { keepChunk } from '../imports/imports.ts'
import { suggestedMapping } from '../imports/schema.ts'
import { TOKEN_PURPOSE } from '../social-ads/connection.ts'
import { createEndpoint } from '../webhooks/endpoints.ts'

// Imported lead files: visitors of a fair, some of them duplicates, and a list that waits for its mapping.

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
/** Numbers of the rows that failed. */
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
  const known = await ctx
    .from('leads')
    .select('id as lead_id')
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

// Recent deliveries of the website's form and a partner's portal. Nobody knows their keys: rotate them to use them.

const names = {
  en: [
    ['Form on the website', 'Website'],
    ['Portal of the chamber of trade', 'Partner'],
  ],
  de: [
    ['Formular der Website', 'Website'],
    ['Portal der Handelskammer', 'Partner'],
  ],
}
/** Days that the log covers. */
const DAYS = 20

export async function makeEndpoints(ctx: Ctx, plan: Plan) {
  const { random, calendar } = plan
  const leads = await websiteLeads(ctx, plan.say(names)[0]![1]!)
  for (const [n, [name, source]] of plan.say(names).entries()) {
    const endpoint = await createEndpoint(ctx, {
      name: name!,
      default_source: source!,
      default_stage_id: null,
      assign_to_website_recipients: n === 0,
      field_map: n === 0 ? {} : ({ contact: 'name', mail: 'email' } as Record<string, 'name' | 'email'>),
      is_active: true,
    })
    const log = Array.from({ length: n === 0 ? 18 : 3 }, () => calendar.instant(calendar.days - 0.01 - random.next() * DAYS)!)
    const deliveries = log.toSorted().map((created_at, at) => {
      const lead_id = at % 6 === 4 ? null : (leads[at % (leads.length || 1)]?.id ?? null)
      return {
        ...{ endpoint_id: endpoint.id, created_at, lead_id, ip: '203.0.113.24' },
        ...(lead_id
          ? { outcome: 'accepted' as const, status: 201, reason: null, errors: null }
          : {
              outcome: 'refused' as const,
              status: 422,
              reason: 'The sent data is not valid.',
              errors: { email: ['Must be an e-mail address.'] } as never,
            }),
      }
    })
    await insertRows(ctx, 'lead_webhook_deliveries', deliveries)
  }
  await letSomeReceive(ctx, plan)
}

const websiteLeads = (ctx: Ctx, source: string) =>
  ctx
    .from('leads')
    .select('id')
    .where('source', '=', source)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(18)
    .execute()

/** Two colleagues receive the website's leads alternately. */
async function letSomeReceive(ctx: Ctx, { people }: Plan) {
  const recipients = people.slice(1, 3).map(({ id }) => id)
  if (!recipients.length) return
  await ctx.update('users').set({ receive_website_leads: true }).where('id', 'in', recipients).execute()
  await insertAll(
    ctx,
    'lead_recipient_turns',
    recipients.map((user_id, n) => ({ user_id, turn: n + 9 })),
  )
}

// An ad platform connection with one page and the leads from its forms. Its tokens are fake.

const DELIVERIES = 6

export async function makeSocialAds(ctx: Ctx, { calendar, people, random, say }: Plan) {
  const { secrets } = ctx.services
  const connected_at = calendar.instant(calendar.days - 60)!
  await insertAll(ctx, 'lead_ad_connections', [
    {
      ...{ is_enabled: true, default_source: say({ en: 'Social ads', de: 'Anzeigen' }) },
      // Bytes are sent to the database as hexadecimal.
      account_token: hex(secrets.encrypt(TOKEN_PURPOSE, 'no account')),
      ...{ connected_by: people[0]!.id, connected_at, created_at: connected_at, updated_at: connected_at },
    },
  ])
  const page_id = `10${ctx.tenant.id}5550100`
  await insertAll(ctx, 'lead_ad_pages', [
    {
      ...{ page_id, name: ctx.tenant.name, token: hex(secrets.encrypt(TOKEN_PURPOSE, 'no page')) },
      ...{ is_subscribed: true, created_at: connected_at },
    },
  ])
  const leads = await ctx
    .from('leads')
    .select(['id', 'created_at'])
    .where('created_at', '>', connected_at)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(DELIVERIES)
    .execute()
  const accepted = leads.map(({ id, created_at }) => ({
    lead_id: id,
    outcome: 'accepted' as const,
    reason: null,
    at: created_at,
  }))
  const failed = {
    ...{ lead_id: null, outcome: 'failed' as const, at: calendar.instant(calendar.days - 9)! },
    reason: 'The lead has neither a name nor an e-mail address.',
  }
  await insertRows(
    ctx,
    'lead_ad_deliveries',
    [...accepted, failed].map(({ at, ...one }, n) => ({
      ...one,
      ...{ leadgen_id: `${page_id}${random.whole(1000, 9999)}${n}`, page_id, created_at: at, updated_at: at },
    })),
  )
}

const hex = (bytes: Buffer) => `\\x${bytes.toString('hex')}` as unknown as Buffer
