/**
 * Duplicate detection: rows that match a lead in the importer’s sight or an earlier row, and today's leads that rows matched
 * (LEAD-67).
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { type Lead, leads, logEach } from '../leads.ts'
import type { Import } from './imports.ts'
import type { ValidRow } from './rows.ts'
import { UNIQUE_FIELDS, type UniqueField } from './schema.ts'
import { type Deed, keptOf } from './undo.ts'

// Matching: rows that match a lead in the importer’s sight, or an earlier row of the same file.

/** Indexed column that each field is looked up in. */
const COLUMNS = { email: 'email', phone: 'phone_key', name: 'name', external_id: 'external_id' } as const

/** LEAD-67: fields that always match leads of today, regardless of the options. */
const TODAYS = ['email', 'phone'] as const

type Keys = Partial<Record<UniqueField, string>>
type Found = Record<UniqueField, Map<string, number>>

const none = (): Found => ({ email: new Map(), phone: new Map(), name: new Map(), external_id: new Map() })

/** Cache of leads by the keys queried so far: the oldest lead of all, and the oldest of today’s. */
export class Matcher {
  readonly #chosen: UniqueField[]
  readonly #all = none()
  readonly #today = none()
  readonly #phones = new Map<string, string | null>()

  constructor(chosen: string[]) {
    this.#chosen = UNIQUE_FIELDS.filter((field) => chosen.includes(field))
  }

  /** Queries the database for these rows. Must be called before `match`. */
  async learn(ctx: Ctx, rows: ValidRow[]) {
    const phones = rows.flatMap(({ draft }) => draft.values.phone ?? []).filter((phone) => !this.#phones.has(phone))
    const { rows: keyed } = await sql<{ phone: string; key: string | null }>`
      select phone, app.phone_key(phone) as key from unnest(${[...new Set(phones)]}::text[]) phone`.execute(ctx.tx)
    for (const { phone, key } of keyed) this.#phones.set(phone, key)
    const keys = rows.map((row) => this.#keys(row))
    const fields = [...new Set([...TODAYS, ...this.#chosen])]
    const asked = fields.map((field) => this.#ask(ctx, field, [...new Set(keys.flatMap((each) => each[field] ?? []))]))
    await allPipelined(...asked)
  }

  async #ask(ctx: Ctx, field: UniqueField, keys: string[]) {
    const unknown = keys.filter((key) => !this.#all[field].has(key))
    if (!unknown.length) return
    const column = sql.ref(`leads.${COLUMNS[field]}`)
    const { rows } = await sql<{ key: string; is_today: boolean; id: number }>`
      select ${column} as key, leads.created_at >= ${dayBegin(ctx)}::timestamptz as is_today, min(leads.id) as id from leads
      where leads.tenant_id = ${ctx.tenant.id} and leads.deleted_at is null and ${column} is not null
        and ${column} = any(${unknown}::text[]) and ${leads.scope(ctx) ?? sql`true`}
      group by 1, 2 order by 3`.execute(ctx.tx)
    for (const { key, is_today, id } of rows) this.#note(field, key, id, is_today)
  }

  #note(field: UniqueField, key: string, id: number, isToday: boolean) {
    if (!this.#all[field].has(key)) this.#all[field].set(key, id)
    if (isToday && !this.#today[field].has(key)) this.#today[field].set(key, id)
  }

  /** Returns the lead that a row duplicates by the chosen fields, and the lead of today that it matches. */
  match(row: ValidRow): { lead: number | undefined; todays: number | undefined } {
    const keys = this.#keys(row)
    const first = (fields: readonly UniqueField[], found: Found) =>
      fields.map((field) => found[field].get(keys[field] ?? '')).find((id) => id !== undefined)
    return { lead: first(this.#chosen, this.#all), todays: first(TODAYS, this.#today) }
  }

  /** Registers a row as a lead of today, so that later rows can match it. */
  add(row: ValidRow, id: number) {
    for (const [field, key] of Object.entries(this.#keys(row))) this.#note(field as UniqueField, key, id, true)
  }

  #keys({ draft: { values } }: ValidRow): Keys {
    const phone = values.phone === null ? null : this.#phones.get(values.phone)
    const keys = { email: values.email, phone, name: values.name, external_id: values.external_id }
    return Object.fromEntries(Object.entries(keys).filter(([, key]) => key))
  }
}

/** Returns the start of the workspace’s day. */
const dayBegin = (ctx: Ctx) => Temporal.PlainDate.from(ctx.today()).toZonedDateTime(ctx.tenant.timezone).toInstant().toString()

/** Returns the lead that a row updates, or `next` for a new one; undefined: the row is skipped. */
export const targetOf = (match: number | undefined, mode: Import['duplicate_mode'], next: number): number | undefined =>
  match === undefined || mode === 'keep' ? next : mode === 'update' ? match : undefined

/**
 * Returns leads of the whole workspace that already have one of the rows' external ids. A row that would take over such an id is
 * rejected.
 */
export async function namedByOthers(ctx: Ctx, rows: ValidRow[]): Promise<Map<string, number>> {
  const names = [...new Set(rows.flatMap(({ draft }) => draft.values.external_id ?? []))]
  if (!names.length) return new Map()
  const { rows: found } = await sql<{ external_id: string; id: number }>`
    select external_id, id from leads where tenant_id = ${ctx.tenant.id} and deleted_at is null and external_id = any(${names}::text[])`.execute(
    ctx.tx,
  )
  return new Map(found.map(({ external_id, id }) => [external_id, id]))
}

/** Reserves the row's external id for a lead. Returns false if another lead already has it. */
export function takesName({ draft }: ValidRow, named: Map<string, number>, id: number): boolean {
  const { external_id } = draft.values
  return !external_id || named.getOrInsert(external_id, id) === id
}

/** Error of such a row; same text as in POST /leads. */
export const NAME_TAKEN = { external_id: ['Another lead of this workspace has this external id.'] }

// Leads of today that rows matched: each gets the Duplicate tag and one notification when the import ends (LEAD-67). A lead
// created from such a row also gets the tag.

/**
 * Locks the Duplicate tag's row at the start of a batch and returns the tag. Serialises the imports of a workspace, so that each
 * finds the leads of the other.
 */
export const lockDuplicates = (ctx: Ctx) =>
  ctx.from('lead_tags').select(['id', 'name']).where('system', '=', 'duplicate').forNoKeyUpdate().executeTakeFirst()

/** Tags the leads that lack the tag, by the numbers of the matching rows. Ignores ids of leads that were not created. */
export async function markDuplicates(
  ctx: Ctx,
  importId: number,
  tag: { id: number; name: string } | undefined,
  matched: Map<number, number>,
): Promise<Deed[]> {
  if (!matched.size || !tag) return []
  const ids = [...matched.keys()]
  await sql`
    insert into lead_import_duplicates (tenant_id, import_id, lead_id)
    select ${ctx.tenant.id}::bigint, ${importId}::bigint, id from leads where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[])
    on conflict do nothing returning 1`.execute(ctx.tx)
  const { rows } = await sql<{ lead_id: number }>`
    insert into lead_tag_links (tenant_id, lead_id, tag_id)
    select ${ctx.tenant.id}::bigint, id, ${tag.id}::bigint from leads where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[])
    on conflict do nothing returning lead_id`.execute(ctx.tx)
  if (!rows.length) return []
  const tagged = rows.map(({ lead_id }) => lead_id)
  const { rows: revised } = await sql<Lead & { tag_ids: number[] }>`
    update leads set updated_at = ${ctx.now}, revision = revision + 1
    where tenant_id = ${ctx.tenant.id} and id = any(${tagged}::bigint[])
    returning *, array(select l.tag_id from lead_tag_links l
      where l.tenant_id = ${ctx.tenant.id} and l.lead_id = leads.id and l.tag_id <> ${tag.id}) as tag_ids`.execute(ctx.tx)
  const properties = { added: [tag.name], removed: [] }
  await logEach(
    ctx,
    'tags_changed',
    tagged.map((lead_id) => ({ lead_id, properties })),
  )
  return revised.map(({ tag_ids, ...lead }) => ({
    ...{
      record_id: lead.id,
      row_number: matched.get(lead.id)!,
      revision_before: lead.revision - 1,
      before: keptOf(lead, tag_ids),
    },
  }))
}
