/**
 * What every record shares: being found within the workspace and the actor's scope, locked, shown, inserted, saved, soft-deleted,
 * restored and deleted for good. A module states its table, its views and what is its own.
 */
import { type Insertable, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import type { DB } from '../database/tables.ts'
import { refuseTaken, refuseUsed, type Taken } from '../database/violations.ts'
import { badRequest, notFound } from '../errors.ts'
import { emit } from '../modules/events.ts'
import type { Permission, SettingKey } from '../names.ts'
import { type NumberFormat, numberedFrom } from './numbering.ts'
import {
  commonActivityTemplates,
  commonTimelineOf,
  type HiddenProperty,
  hideInTimeline,
  logActivity,
  type NamedRecord,
  namesInTimeline,
  writeActivity,
} from './timeline.ts'
import {
  type ActivityTemplates,
  describeRecord,
  etagOf,
  exactColumns,
  JsonText,
  readOne,
  refersToOf,
  scalarColumns,
  type TableName,
  type View,
} from './view.ts'

/** Tables that hold records: workspace, id, life times and a revision that each save counts up. */
export type RecordTable = {
  [T in keyof DB]: DB[T] extends { tenant_id: unknown; id: unknown; revision: unknown; deleted_at: unknown } ? T : never
}[keyof DB]

export type Row<T extends TableName> = Selectable<DB[T]>

/** What the kernel fills in itself. */
type Given = 'tenant_id' | 'id' | 'created_by' | 'created_at' | 'updated_at' | 'deleted_at' | 'revision'
/** The columns of a new record; those with a default may be left out. */
export type New<T extends TableName> = Omit<Insertable<DB[T]>, Given | 'number'> & { number?: string }
/** Columns to change. */
export type Changes<T extends TableName> = Partial<Omit<Row<T>, Given>>

type Action = 'view' | 'create' | 'update' | 'delete' | 'restore' | 'force.delete' | 'assign' | 'export'

interface ResourceSpec<T extends RecordTable, S extends ActivityTemplates, Item extends View, Detail extends View> {
  table: T
  /** The module's key: `purchase-orders` makes `purchase-orders.delete` and so on. */
  module: string
  /** In messages: 'purchase order'. */
  noun: string
  /** What a list shows of a record. */
  item: Item
  /** What its own page shows; the same where not given. */
  detail?: Detail
  /** By what routes name a record. Default: id. */
  key?: 'id' | 'uuid'
  /** The column that people know a record by. Default: name. */
  title?: keyof DB[T] & string
  /** The column with the day on which it is due. */
  due?: keyof DB[T] & string
  /** Numbered within the workspace; the setting that holds the prefix. */
  numberPrefix?: SettingKey
  /** Numbered within the workspace, where no setting says how: `{ prefix: 'EMP-', digits: 4 }`. */
  numbers?: NumberFormat
  /** Permissions that are not the module's of that name. */
  allow?: Partial<Record<Action, Permission>>
  /** Without this permission an actor sees only the records assigned to them (AUTH-07). */
  assign?: Permission
  /** Columns that are set with the assignee and not by a client: undoing an assignment puts them back. */
  assignedWith?: readonly (keyof DB[T] & string)[]
  /** A visibility of its own, instead of the assignee's: true for a row of the table (called `as`) that the actor may see. */
  scope?: (ctx: Ctx, as: string) => RawBuilder<SqlBool> | undefined
  /** Which live records another one may newly refer to; all of them where not given. */
  usable?: (as: string) => RawBuilder<SqlBool>
  /** Every field that names a record is a picker: whoever can't view one may name it anywhere, as users are named as assignees. */
  picker?: true
  /** Columns by which record_tallies counts the table; the migration calls app.tallied with them. */
  tallied?: readonly (keyof DB[T] & ('status' | 'assigned_to'))[]
  /** Who else than the assignee sees a record without the permission to assign: they are told when it is deleted for good. */
  seers?: (ctx: Ctx, row: Row<T>) => Promise<(number | null)[]>
  /** What events call one, where another resource of its table is called by the table. */
  eventKind?: string
  /** Types of timeline entry of its own. */
  activityTemplates?: S
  /** Another record that entries of its timeline name: who may not see that one isn't told what it is called. */
  timelineNames?: NamedRecord
  /** A property of entries of its timeline that some readers don't see. */
  timelineHides?: HiddenProperty
  /** Those of its states that its timeline tells of, where no machine moves it. */
  states?: readonly string[]
  /** Unique constraints and the input that each is about: the database judges, because a look beforehand races. */
  unique?: Taken
  /** On a cluster, done behind each row that is made or saved, in the same transaction: what a trigger keeps elsewhere on one machine. */
  keepOnCluster?: (ctx: Ctx, id: number) => Promise<void>
}

export interface Resource<
  T extends RecordTable = any,
  S extends ActivityTemplates = any,
  Detail extends View = any,
  Item extends View = any,
> {
  table: T
  module: string
  noun: string
  key: 'id' | 'uuid'
  title: string
  due?: string
  item: Item
  detail: Detail
  activityTemplates: typeof commonActivityTemplates & S
  eventKind?: string
  /** What its routes do and every timeline could tell, but not every resource has: `note_added`, `force_deleted`. */
  deeds: Set<'note_added' | 'force_deleted'>
  assignPermission?: Permission
  assignedWith: readonly string[]
  picker?: true
  numberPrefix?: SettingKey
  /** Its records have numbers. */
  isNumbered: boolean
  tallied?: readonly string[]
  states?: readonly string[]
  /** numeric columns. */
  exact: readonly string[]
  /** Fields whose changes the history tells: what the views show of the row itself. */
  historyFields: ReadonlySet<string>
  /** The permission for one of the actions that every record has. */
  may(action: Action): Permission
  /** The scope is the assignee's alone (not one of the module's own). */
  scopedByAssignee: boolean
  /** The one visibility predicate, for every query on the table (list, stats, show, change, embed, print); undefined: sees all. */
  scope(ctx: Ctx, as?: string): RawBuilder<SqlBool> | undefined
  usable?: (as: string) => RawBuilder<SqlBool>
  /** Turns the violation of one of its unique constraints into a 422 on the field. */
  refuseTaken(error: unknown): never
  /** The live record that a route's key names; 404 when there is none in this workspace or in the actor's sight. */
  find(ctx: Ctx, key: RecordKey): Promise<Row<T>>
  /** The live record that a route's key names, locked until the transaction ends: what every change begins with. 404 as `find`. */
  lock(ctx: Ctx, key: RecordKey): Promise<Row<T>>
  /** Locked, soft-deleted or not: for restore and force. */
  lockAny(ctx: Ctx, key: RecordKey): Promise<Row<T>>
  /** The live record's detail view, in the actor's scope; 404 otherwise. */
  render(ctx: Ctx, key: RecordKey): Promise<JsonText>
  /** The detail view of a record that this transaction has just written, out of scope or deleted by now: never of an id that a client sent. */
  renderUnscoped(ctx: Ctx, id: number): Promise<JsonText>
  /** The record's detail view as an object, whatever it has become: for code that prints or copies what the actor was found to see. */
  loadDetailUnscoped(ctx: Ctx, id: number): Promise<z.output<Detail>>
  /** An id for a record to come, so that what belongs to it can leave with it. */
  reserve(ctx: Ctx): Promise<number>
  /** The record, its number, its first timeline entry and its children, in one statement. */
  insert(ctx: Ctx, values: New<T>, more?: InsertMore<S>): Promise<Row<T>>
  save(ctx: Ctx, row: Row<T>, changes: Changes<T>): Promise<Row<T>>
  /** Soft-deletes. */
  trash(ctx: Ctx, row: Row<T>): Promise<Row<T>>
  /** Undoes the soft delete; 400 on a live record. */
  restore(ctx: Ctx, row: Row<T>): Promise<Row<T>>
  /** Deletes for good, with notes and timeline; 400 on a live record (CONV-05). */
  force(ctx: Ctx, row: Row<T>): Promise<void>
}

/** An id, or a uuid where the resource's key is one. */
type RecordKey = number | string

interface InsertMore<S extends ActivityTemplates> {
  id?: number
  numberPrefix?: string
  children?: Children
  /** Its first timeline entry. Default: `created`, without properties. */
  activity?: { type: keyof (typeof commonActivityTemplates & S) & string; properties: object }
}

/** Rows of another table that belong to a new record: `by` is their column that names it. */
export interface Children {
  /** The field of the input that they came in. */
  field: string
  table: TableName
  by: string
  rows: object[]
}

type Common = { id: number; deleted_at: string | null }

/** Those that the loaded modules have declared, whatever workspace has them. */
export const resources: Resource[] = []

export function resource<
  const T extends RecordTable,
  S extends ActivityTemplates = {},
  Item extends View = View,
  Detail extends View = Item,
>(spec: ResourceSpec<T, S, Item, Detail>): Resource<T, S, Detail, Item> {
  const { table, noun, item } = spec
  const detail = spec.detail ?? (item as unknown as Detail)
  for (const shown of new Set<View>([item, detail])) describeRecord(shown, { table, title: spec.title ?? 'name' })
  const activityTemplates = { ...commonActivityTemplates, ...spec.activityTemplates } as typeof commonActivityTemplates & S
  const subject = commonTimelineOf(spec)
  if (spec.timelineNames) namesInTimeline(table, spec.timelineNames)
  if (spec.timelineHides) hideInTimeline(table, spec.timelineHides)
  const unique: Taken = {
    ...spec.unique,
    [`${table}_external_id`]: { external_id: `Another ${noun} of this workspace has this external id.` },
  }

  const scope: Resource<T, S>['scope'] = (ctx, as = table) => {
    if (spec.scope) return spec.scope(ctx, as)
    if (!spec.assign || ctx.can(spec.assign)) return undefined
    return sql<SqlBool>`${sql.ref(`${as}.assigned_to`)} = ${ctx.actor.id}`
  }

  /** The record with this key (`by`) in the workspace and in sight, as conditions. */
  function conditions(ctx: Ctx, key: RecordKey, options: { by?: 'id'; trashed?: true; unscoped?: true }) {
    const all = [
      sql<SqlBool>`${sql.ref(`${table}.tenant_id`)} = ${ctx.tenant.id}`,
      sql<SqlBool>`${sql.ref(`${table}.${options.by ?? of.key}`)} = ${key}`,
    ]
    if (!options.trashed) all.push(sql`${sql.ref(`${table}.deleted_at`)} is null`)
    const seen = options.unscoped ? undefined : scope(ctx)
    if (seen) all.push(seen)
    return sql.join(all, sql` and `)
  }

  const select = (ctx: Ctx, key: RecordKey, options: { trashed?: true; lock?: true }) =>
    readRow(ctx, table, conditions(ctx, key, options), { noun, lock: options.lock })

  const view = (ctx: Ctx, key: RecordKey, options: { by?: 'id'; trashed?: true; unscoped?: true }) =>
    readOne(ctx, detail, table, conditions(ctx, key, options), { noun, revised: true, of })

  /** What nobody reads, with the entity tag of the record. */
  const stateOf = async (ctx: Ctx, id: number) => {
    const { rows } = await sql<{ revision: number }>`
      select revision from ${sql.table(table)} where tenant_id = ${ctx.tenant.id} and id = ${id}`.execute(ctx.tx)
    if (!rows[0]) throw notFound(`There is no such ${noun}.`)
    return new JsonText('null', etagOf({ id, revision: rows[0].revision }))
  }

  const kept = async (ctx: Ctx, row: Row<T>) => {
    if (ctx.services.database.isCluster) await spec.keepOnCluster?.(ctx, (row as Common).id)
    return row
  }

  const save = (ctx: Ctx, row: Row<T>, changes: Record<string, unknown>) => {
    const saved = writeRow(ctx, table, 'id', row, changes, unique)
    return spec.keepOnCluster ? saved.then((one) => kept(ctx, one)) : saved
  }

  const of: Resource<T, S, Detail, Item> = {
    table,
    module: spec.module,
    noun,
    key: spec.key ?? 'id',
    title: spec.title ?? 'name',
    due: spec.due,
    item,
    detail,
    activityTemplates,
    eventKind: spec.eventKind,
    deeds: new Set(),
    assignPermission: spec.assign,
    assignedWith: spec.assignedWith ?? [],
    picker: spec.picker,
    numberPrefix: spec.numberPrefix,
    isNumbered: spec.numberPrefix !== undefined || spec.numbers !== undefined,
    tallied: spec.tallied,
    states: spec.states,
    exact: [...new Set([...exactColumns(item), ...exactColumns(detail)])],
    historyFields: new Set([item, detail].flatMap(historyColumns)),
    may: (action) => spec.allow?.[action] ?? (`${spec.module}.${action}` as Permission),
    scopedByAssignee: spec.scope === undefined,
    scope,
    usable: spec.usable,
    refuseTaken: refuseTaken(unique),
    find: (ctx, key) => select(ctx, key, {}),
    lock: (ctx, key) => select(ctx, key, { lock: true }),
    lockAny: (ctx, key) => select(ctx, key, { lock: true, trashed: true }),
    render: (ctx, key) => view(ctx, key, {}),
    renderUnscoped: (ctx, id) => (ctx.unread ? stateOf(ctx, id) : view(ctx, id, { by: 'id', trashed: true, unscoped: true })),
    loadDetailUnscoped: async (ctx, id) => JSON.parse((await view(ctx, id, { by: 'id', trashed: true, unscoped: true })).text),
    async reserve(ctx) {
      const { rows } = await sql<{ id: number }>`select nextval(pg_get_serial_sequence(${table}, 'id')) as id`.execute(ctx.tx)
      return rows[0]!.id
    },
    async insert(ctx, values, { id, numberPrefix, children, activity = { type: 'created', properties: {} } } = {}) {
      const { tenant, actor, now } = ctx
      const row = {
        ...values,
        tenant_id: tenant.id,
        created_by: actor.id,
        created_at: now,
        updated_at: now,
        ...(id ? { id } : {}),
      }
      const given = Object.entries(row).filter(([, value]) => value !== undefined)
      const columns = given.map(([name]) => sql.ref(name))
      const params = given.map(([, value]) => sql`${value}`)
      const format = numberPrefix === undefined ? spec.numbers : { prefix: numberPrefix }
      const numbered = format && numberedFrom(ctx, table, format)
      if (ctx.services.database.isCluster) {
        const number = numbered && (await numbered.next.execute(ctx.tx)).rows[0]
        return kept(ctx, await insertApart(ctx, table, { ...row, ...number }, activity, children).catch(refuseTaken(unique)))
      }
      const made = numbered
        ? sql`insert into ${sql.table(table)} (${sql.join(columns)}, number) select ${sql.join(params)}, ${numbered.value} from counter returning *`
        : sql`insert into ${sql.table(table)} (${sql.join(columns)}) values (${sql.join(params)}) returning *`
      const { rows } = await sql<Row<T>>`
        with ${numbered ? sql`counter as (${numbered.count}), ` : sql``}made as (${made}),
        logged as (
          insert into activities (tenant_id, subject_type, subject_id, type, properties, actor_id, impersonator_id, impersonator_type, client, created_at)
          select tenant_id, ${sql.lit(table)}, id, ${activity.type}, ${JSON.stringify(activity.properties)}::jsonb, created_by, ${actor.impersonator?.id ?? null}::bigint, ${actor.impersonator?.type ?? null}, ${ctx.request.client}::text, created_at from made returning id
        ) ${children?.rows.length ? sql`, belonging as (${childrenOf(children, tenant.id)})` : sql``}
        select * from made`
        .execute(ctx.tx)
        .catch(refuseTaken(unique))
      return rows[0]!
    },
    save: save as Resource<T, S>['save'],
    async trash(ctx, row) {
      const [trashed] = await allPipelined(
        save(ctx, row, { deleted_at: ctx.now }),
        logActivity(ctx, subject, (row as Common).id, 'deleted'),
      )
      return trashed
    },
    async restore(ctx, row) {
      if ((row as Common).deleted_at === null) throw badRequest(`This ${noun} is not deleted.`)
      const [restored] = await allPipelined(
        save(ctx, row, { deleted_at: null }),
        logActivity(ctx, subject, (row as Common).id, 'restored'),
      )
      return restored
    },
    async force(ctx, row) {
      const { id, deleted_at } = row as Common
      if (deleted_at === null) throw badRequest(`Delete the ${noun} first; only deleted ones can be removed for good.`)
      const seen_by = spec.assign && [
        (row as { assigned_to?: number | null }).assigned_to,
        ...((await spec.seers?.(ctx, row)) ?? []),
      ]
      await emit(ctx, 'record.purged', { table, id })
      const label = String((row as Record<string, unknown>)[of.title] ?? '')
        .slice(0, 255)
        .toWellFormed()
      for (const attached of ['notes', 'activities'] as const)
        await ctx.tx
          .deleteFrom(attached)
          .where('tenant_id', '=', ctx.tenant.id)
          .where('subject_type', '=', table)
          .where('subject_id', '=', id)
          .execute()
      await sql`delete from ${sql.table(table)} where tenant_id = ${ctx.tenant.id} and id = ${id}`
        .execute(ctx.tx)
        .catch(refuseUsed(noun))
      await writeActivity(ctx, { table, id, type: 'force_deleted', label, properties: seen_by && { seen_by } })
    },
  }
  resources.push(of)
  return of
}

/** Columns whose changes the history of a record tells: what the view shows of the row itself. */
const historyColumns = (view: View) => [
  ...scalarColumns(view),
  ...Object.keys(view.shape).filter((name) => refersToOf(view, name)),
]

/** One row of a workspace's table; 404 when there is none. */
export async function readRow<T extends TableName>(
  ctx: Ctx,
  table: T,
  conditions: RawBuilder<unknown>,
  { noun, lock }: { noun: string; lock?: boolean },
): Promise<Row<T>> {
  const { rows } = await sql<Row<T>>`
    select ${sql.table(table)}.* from ${sql.table(table)} where ${conditions} ${lock ? sql`for update` : sql``}`.execute(ctx.tx)
  if (!rows[0]) throw notFound(`There is no such ${noun}.`)
  return rows[0]
}

/** Saves columns of a row, as its next revision. */
export const writeRow = <T extends TableName>(
  ctx: Ctx,
  table: T,
  key: 'id' | 'uuid',
  row: Row<T>,
  changes: object,
  unique: Taken | undefined,
): Promise<Row<T>> =>
  (ctx.tx as any)
    .updateTable(table)
    .set({ ...changes, updated_at: ctx.now, revision: sql`revision + 1` })
    .where('tenant_id', '=', ctx.tenant.id)
    .where(key, '=', (row as Record<string, unknown>)[key])
    .returningAll()
    .executeTakeFirstOrThrow()
    .then((saved: any) => {
      ctx.revised?.(table, saved)
      return saved
    })
    .catch(refuseTaken(unique))

/**
 * A record, its first timeline entry and its children in a statement each: one that makes them all is worked out on every machine of a
 * cluster, and fails when any of them does.
 */
async function insertApart<T extends RecordTable>(
  ctx: Ctx,
  table: T,
  row: object,
  { type, properties }: { type: string; properties: object },
  children: Children | undefined,
): Promise<Row<T>> {
  const made: Row<T> & Common = await (ctx.tx as any).insertInto(table).values(row).returningAll().executeTakeFirstOrThrow()
  await allPipelined(
    logActivity(ctx, { table, activityTemplates: {} as ActivityTemplates }, made.id, type, properties),
    children ? insertChildren(ctx, made.id, children) : Promise.resolve(),
  )
  return made
}

/** Children come as JSON, so that one statement serves any number of them. */
function childrenOf({ table, by, rows }: Children, tenantId: number) {
  const columns = Object.keys(rows[0]!).map((name) => sql.ref(name))
  return sql`
    insert into ${sql.table(table)} (tenant_id, ${sql.ref(by)}, ${sql.join(columns)})
    select made.tenant_id, made.id, ${sql.join(Object.keys(rows[0]!).map((name) => sql.ref(`given.${name}`)))}
    from made cross join jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb) given
    where made.tenant_id = ${tenantId} returning id`
}

/** Puts children in place of those that a record had. */
export async function replaceChildren(ctx: Ctx, id: number, { table, by, rows }: Omit<Children, 'field'>) {
  await sql`delete from ${sql.table(table)} where tenant_id = ${ctx.tenant.id} and ${sql.ref(by)} = ${id}`.execute(ctx.tx)
  await insertChildren(ctx, id, { table, by, rows })
}

async function insertChildren(ctx: Ctx, id: number, { table, by, rows }: Omit<Children, 'field'>) {
  const inserted = rows.map((row) => ({ ...row, tenant_id: ctx.tenant.id, [by]: id }))
  if (inserted.length)
    await ctx.tx
      .insertInto(table)
      .values(inserted as never)
      .execute()
}
