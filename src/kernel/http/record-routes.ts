/**
 * Standard routes of a resource's records: list, stats, show, create, update, delete and restore, timeline and notes, assignment,
 * status.
 */
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { exportTypes } from '../export/file.ts'
import { recordTable } from '../export/record-columns.ts'
import { recordExport } from '../export/records.ts'
import type { Modules } from '../modules/module.ts'
import type { Permission } from '../names.ts'
import { AssignBody, assign } from '../records/assignment.ts'
import { revise } from '../records/changes.ts'
import { completed, fieldsOf, identify, lockByExternalId, upsertOf } from '../records/external-ids.ts'
import { type Listing, type ListQuery, Paging } from '../records/listing.ts'
import type { Machine, Stored } from '../records/machine.ts'
import { addNote, Note, NoteBody, noteOf, notesOf } from '../records/notes.ts'
import type { RecordTable, Resource, Row } from '../records/resource.ts'
import { createRecord, type PendingInsert, updateRecord } from '../records/saving.ts'
import type { Series } from '../records/series.ts'
import type { Stats } from '../records/stats.ts'
import { Activity, timelineEntryOf, timelineOf } from '../records/timeline.ts'
import { JsonText } from '../records/view.ts'
import { changesOf, choice, externalId } from '../values/fields.ts'
import { capital } from '../values/words.ts'
import { BulkBatch, BulkBody, bulkHandler } from './bulk.ts'
import { type Deed, isAsSent, sentFor } from './collections.ts'
import type { Grants } from './grants.ts'
import { parse } from './input.ts'
import { actionsOf, ruledBy } from './record-actions.ts'
import { type Route, type Spec, workspace } from './route.ts'
import { changedMeanwhile, checkIfMatch } from './validators.ts'

type Sent = Record<string, unknown> & { external_id?: string | null }

const { get, post, put, del, multiTransaction } = workspace

/** Precondition for changing or deleting a record; throws the route's error. */
type Guard<R> = ((ctx: Ctx, row: R) => unknown) | undefined

interface RecordRoutes<T extends RecordTable, B extends z.ZodObject, U extends z.ZodObject> {
  list: Listing<any, Ctx>
  stats?: Stats
  /** Time series of the records. */
  series?: Series
  /**
   * Fields for creating a record; without it there is no POST route. Updates accept the same fields, all optional, unless
   * `changes` is given.
   */
  body?: B
  changes?: U
  /** Default: `createRecord` with the body. */
  create?: (ctx: Ctx, body: z.output<B>) => Promise<PendingInsert>
  /** Default: `updateRecord` with the body. */
  update?: (ctx: Ctx, row: Row<T>, body: z.output<U>) => Promise<unknown>
  /** Default: soft-deletes the record. */
  remove?: (ctx: Ctx, row: Row<T>) => Promise<unknown>
  /** Default: undoes the soft delete. */
  restore?: (ctx: Ctx, row: Row<T>) => Promise<unknown>
  /** Preconditions for changing or deleting a record, also checked by `GET /:id/actions`. */
  guards?: { update?: Guard<Row<T>>; remove?: Guard<Row<T>> }
  /** Action that must precede the deletion of an unchanged record if `guards.remove` rejects it: undoing an import does both. */
  withdraw?: `/${string}`
  /** false: records are never purged; own: the module has its own purge route. */
  force?: false | 'own'
  /** false: the module has its own export. */
  export?: false
  /** false: the module has its own timeline. */
  timeline?: false
  /** See `AccessRules.grants`: `changes` for creating and updating, `life` for deleting and restoring. Default: nothing. */
  grants?: { changes?: Grants; life?: boolean }
}

/**
 * GET /stats, GET /series, GET /export, GET /, POST /, GET /:id, GET /:id/timeline (and /:activity_id), PUT /:id, DELETE /:id,
 * POST /:id/restore, DELETE /:id/force (CONV-04 … CONV-07), with the resource's key in the path. Each needs the module's
 * permission for it.
 */
export function recordRoutes<T extends RecordTable, B extends z.ZodObject, U extends z.ZodObject = z.ZodObject>(
  of: Resource<T>,
  spec: RecordRoutes<T, B, U>,
): Route[] {
  const { list, stats, series, body, changes = changesOf(body ?? z.object()) as unknown as U } = spec
  const { create = (ctx, sent) => createRecord(ctx, of, body!, sent as never) } = spec
  const { update = (ctx, row, sent) => updateRecord(ctx, of, changes, row, sent as never) } = spec
  const { guards = {}, grants: { changes: grants = false } = {} } = spec
  if (spec.force !== false) of.deeds.add('force_deleted')
  const saving: Saving = {
    body: body ?? changes,
    changes,
    create: create as Saving['create'],
    update: update as Saving['update'],
    guard: guards.update,
    grants,
    isOwn: { create: spec.create !== undefined, update: spec.update !== undefined },
  }
  return [
    ...(stats ? [statsRoute(stats, of.may('view'))] : []),
    ...(series ? [seriesRoute(series, of.may('view'))] : []),
    ...(spec.export === false ? [] : [exportRoute(of, list, saving.body)]),
    listRoute(of, list),
    ...(body ? [creationRoute(of, saving), externalRoute(of, saving)] : []),
    // Resources identified by uuid don't expose the ids that a bulk request needs.
    ...(of.key === 'id'
      ? [bulkRoute(of, { list, body: saving.body, withdraw: spec.withdraw, plain: plainOf(of, spec) }, changes)]
      : []),
    showRoute(of),
    actionsRoute(of as Resource),
    ...(spec.timeline === false ? [] : timelineRoutes(of)),
    changeRoute(of, saving),
    ...lifeRoutes(of, spec),
  ]
}

const listRoute = (of: Resource, list: Listing<any, Ctx>) =>
  get('/', { allow: of.may('view'), query: list.query, page: of.item as z.core.$ZodType }, (ctx, { query }) =>
    ctx.commitWith(list.page(ctx, query as ListQuery)),
  )

const pathOf = (of: Resource) => `/:${of.key}` as '/:id'

const showRoute = (of: Resource) =>
  get(pathOf(of), { allow: of.may('view'), reply: of.detail }, (ctx, input) =>
    ctx.commitWith(of.render(ctx, input[of.key as 'id'])),
  )

function actionsRoute(of: Resource) {
  const { reply, handler } = actionsOf(of)
  return get(
    `${pathOf(of)}/actions` as '/:id/actions',
    {
      allow: of.may('view'),
      reply,
      description: `Answers what can be done with the ${of.noun}, whether the caller may do it now and, if not, why: by the permissions and the rules that the routes go by themselves.`,
    },
    handler as never,
  )
}

/** Functions that create and change records, of the module or of the kernel. */
interface Saving {
  body: z.ZodObject
  changes: z.ZodObject
  create(ctx: Ctx, sent: object): Promise<PendingInsert>
  update(ctx: Ctx, row: object, sent: object): Promise<unknown>
  guard: Guard<any>
  grants: Grants
  /** Whether the module has its own functions. The kernel's own store the external id like any column. */
  isOwn: { create: boolean; update: boolean }
}

const creationRoute = (of: Resource, { body, create, grants, isOwn }: Saving) =>
  post(
    '/',
    {
      allow: of.may('create'),
      grants,
      body: body.safeExtend({ external_id: externalId() }) as z.core.$ZodType,
      reply: of.detail,
      status: 201,
      message: `${capital(of.noun)} created.`,
    },
    async (ctx, { body: sent }) => {
      const { external_id, ...fields } = sent as Sent
      const { id, inserted } = await create(ctx, isOwn.create ? fields : (sent as Sent))
      if (!isOwn.create || external_id == null) return ctx.commitThenRead(inserted, () => of.renderUnscoped(ctx, id))
      await inserted
      await identify(ctx, of, id, external_id)
      return of.renderUnscoped(ctx, id)
    },
  )

/** Whether a change contains only the external id. */
const onlyNames = ({ external_id, ...fields }: Sent) => external_id !== undefined && Object.keys(fields).length === 0

const changeRoute = (of: Resource, { changes, update, guard, grants, isOwn }: Saving) =>
  put(
    pathOf(of),
    {
      record: of.lock,
      reply: of.detail,
      // The external id isn't part of the record's content: the guard doesn't apply.
      guard: guard && ((ctx, row, sent) => (sent && onlyNames(sent as Sent) ? undefined : guard(ctx, row))),
      allow: of.may('update'),
      grants,
      body: changes.safeExtend({ external_id: externalId() }) as z.core.$ZodType,
      message: `${capital(of.noun)} saved.`,
    },
    async (ctx, { record, body }) => {
      const { external_id, ...fields } = body as Sent
      const isName = onlyNames(body as Sent)
      if (!isName) await update(ctx, record, isOwn.update ? fields : (body as Sent))
      if (external_id !== undefined && (isName || isOwn.update))
        await revise(ctx, of, record, { external_id } as never, {}, isName ? undefined : 'joined')
      return of.renderUnscoped(ctx, (record as { id: number }).id)
    },
  )

interface Life {
  remove?(ctx: Ctx, row: any): Promise<unknown>
  restore?(ctx: Ctx, row: any): Promise<unknown>
  guards?: { remove?: Guard<any> }
  force?: false | 'own'
  grants?: { life?: boolean }
}

/** DELETE /:id, POST /:id/restore and DELETE /:id/force (CONV-04, CONV-05, CONV-06). */
function lifeRoutes(
  of: Resource,
  { remove = of.trash, restore = of.restore, guards = {}, force, grants: { life = false } = {} }: Life,
): Route[] {
  const Noun = capital(of.noun)
  const one = pathOf(of)
  const any = { record: of.lockAny, grants: life }
  const forced = del(
    `${one}/force`,
    { ...any, allow: of.may('force.delete'), message: `${Noun} deleted for good.` },
    async (ctx, { record }) => of.force(ctx, record),
  )
  return [
    del(
      one,
      { allow: of.may('delete'), grants: life, record: of.lock, guard: guards.remove, message: `${Noun} deleted.` },
      async (ctx, { record }) => {
        await remove(ctx, record)
      },
    ),
    post(
      `${one}/restore`,
      { ...any, allow: of.may('restore'), reply: of.detail, message: `${Noun} restored.` },
      async (ctx, { record }) => {
        await restore(ctx, record)
        return of.renderUnscoped(ctx, (record as { id: number }).id)
      },
    ),
    ...(force === undefined ? [forced] : []),
  ]
}

/**
 * Returns the actions that the kernel implements alone. Creating numbered records isn't one of them: numbers follow the order of
 * the rows, so these are created one by one.
 */
function plainOf(of: Resource<any>, spec: Own): ReadonlySet<Deed> {
  const { create, update, remove, guards = {}, withdraw } = spec
  const plain = {
    create: !create && !of.isNumbered,
    update: !update && !guards.update,
    delete: !remove && !guards.remove && !withdraw,
  }
  return new Set((Object.keys(plain) as (keyof typeof plain)[]).filter((deed) => plain[deed]))
}

interface Own {
  create?: unknown
  update?: unknown
  remove?: unknown
  guards?: { update?: unknown; remove?: unknown }
  withdraw?: string
}

/** GET /:id/timeline and, for one entry with its full texts, GET /:id/timeline/:activity_id. */
const timelineRoutes = (of: Resource) => [
  get(
    `/:${of.key}/timeline` as '/:id/timeline',
    { allow: of.may('view'), query: Paging, page: Activity },
    async (ctx, { query, ...input }) => {
      const { id } = (await of.find(ctx, input[of.key as 'id'])) as { id: number }
      return timelineOf(ctx, of, id, query)
    },
  ),
  get(
    `/:${of.key}/timeline/:activity_id` as '/:id/timeline/:activity_id',
    { allow: of.may('view'), reply: Activity },
    async (ctx, { activity_id, ...input }) => {
      const { id } = (await of.find(ctx, input[of.key as 'id'])) as { id: number }
      return timelineEntryOf(ctx, of, id, activity_id)
    },
  ),
]

const statsRoute = (stats: Stats, allow: Permission) =>
  get('/stats', { allow, query: stats.list.statsQuery, reply: stats.reply as z.core.$ZodType }, (ctx, { query }) =>
    stats.read(ctx, query as ListQuery),
  )

const seriesRoute = ({ query, reply, read }: Series, allow: Permission) =>
  get('/series', { allow, query, reply: reply as z.core.$ZodType }, (ctx, input) => read(ctx, input.query) as Promise<object>)

const bulkRoute = (of: Resource, by: Omit<Parameters<typeof bulkHandler>[0], 'of'>, changes: z.ZodObject) =>
  post(
    '/bulk',
    {
      allow: [
        ...new Set([
          of.may('update'),
          of.may('delete'),
          of.may('restore'),
          ...(of.assignPermission ? [of.assignPermission] : []),
        ]),
      ],
      grants: false, // checked by the route of each action
      body: BulkBody,
      bodyOfEach: changes,
      maxBytes: 1_000_000,
      reply: BulkBatch,
      message: 'Batch accepted.',
    },
    bulkHandler({ of, ...by }) as never,
  )

/** PUT /external/:external_id: updates the record with this external id, or creates it. */
function externalRoute(of: Resource, { body, changes, create, update, guard, grants }: Saving) {
  const sendable = upsertOf(body, changes)
  let table: ReturnType<typeof recordTable> | undefined
  const keptOf = async (ctx: Ctx, { id }: { id: number }, names: string[]) => {
    table ??= recordTable(of, sendable)
    // `values()` instead of a lookup by id, because some views don't include the id.
    const [kept] = (await sentFor(ctx, { of, body: sendable, table }, [id], names)).values()
    return kept!
  }
  return put(
    '/external/:external_id',
    {
      allow: [of.may('create'), of.may('update')],
      grants,
      body: sendable as z.core.$ZodType,
      reply: of.detail,
      mayCreate: true,
      message: `${capital(of.noun)} saved.`,
    },
    async (ctx, { external_id: written, body: sent, headers }) => {
      const name = parse(z.object({ external_id: externalId() }), { external_id: written }).external_id!
      const row = await lockByExternalId(ctx, of, name)
      if (row) {
        ctx.require(of.may('update'))
        checkIfMatch(headers['if-match'], row)
        // A repeated request with the same fields changes nothing, even if the record's state no longer permits changes.
        const kept = await keptOf(ctx, row as { id: number }, Object.keys(sent as Sent))
        if (!isAsSent(sendable, kept, sent as Sent)) {
          await guard?.(ctx, row)
          await update(ctx, row, fieldsOf(changes, sent as Sent))
        }
        return of.renderUnscoped(ctx, (row as { id: number }).id)
      }
      if (headers['if-match'] !== undefined) throw changedMeanwhile()
      if (!ctx.can(of.may('create'))) throw notFound(`There is no such ${of.noun}.`)
      const { id, inserted } = await create(ctx, completed(body, sent as Sent))
      await inserted
      await identify(ctx, of, id, name)
      const { text, etag } = await of.renderUnscoped(ctx, id)
      return new JsonText(text, etag, true)
    },
  )
}

const exportRoute = (of: Resource, list: Listing<any, Ctx>, body: z.ZodObject) => {
  const exported = recordExport(of, list, body)
  return multiTransaction.get(
    '/export',
    { allow: of.may('export'), query: list.exportQuery, file: exportTypes },
    (steps, { query }) => exported(steps, query as never),
  )
}

/** POST /:id/notes (CONV-10), GET /:id/notes and, for one note with its full text, GET /:id/notes/:note_id. */
export function activityRoutes(of: Resource): Route[] {
  of.deeds.add('note_added')
  return [
    post(
      '/:id/notes',
      {
        allow: of.may('update'),
        grants: false,
        record: of.lock,
        body: NoteBody,
        reply: Note,
        status: 201,
        message: 'Note added.',
      },
      (ctx, { id, body }) => addNote(ctx, of, id, body.body),
    ),
    get('/:id/notes', { allow: of.may('view'), query: Paging, page: Note }, async (ctx, { id, query }) => {
      await of.find(ctx, id)
      return notesOf(ctx, of, id, query)
    }),
    get('/:id/notes/:note_id', { allow: of.may('view'), reply: Note }, async (ctx, { id, note_id }) => {
      await of.find(ctx, id)
      return noteOf(ctx, of, id, note_id)
    }),
  ]
}

/** POST /:id/assign. */
export const assignRoute = (of: Resource): Route =>
  action(
    of,
    '/:id/assign',
    { allow: of.may('assign'), grants: false, body: AssignBody, message: 'Assignment saved.' },
    (ctx, record, body) => assign(ctx, of, record, body.assigned_to),
  )

type ActionSpec<B> = Pick<
  Spec<Ctx, Permission, undefined, B, any, any, any, any, any, any>,
  'allow' | 'grants' | 'guard' | 'body' | 'message' | 'limit' | 'operation' | 'summary' | 'description'
>

/** Returns a POST route that locks a live record, runs `verb` on it, and returns its detail view. */
export const action = <T extends RecordTable, B extends z.core.$ZodType | undefined = undefined>(
  of: Resource<T>,
  path: `/:id/${string}`,
  spec: ActionSpec<B>,
  verb: (ctx: Ctx, record: Row<T>, body: B extends z.core.$ZodType ? z.output<B> : undefined) => Promise<unknown>,
): Route =>
  post(path, { ...spec, record: of.lock, reply: of.detail as z.core.$ZodType }, async (ctx, { id, record, body }) => {
    await verb(ctx, record, body as never)
    return of.renderUnscoped(ctx, id as number)
  })

/** Functions of moves that do more than change the status. */
type Verbs<T extends RecordTable, M extends string> = { [K in M]?: (ctx: Ctx, row: Row<T>) => Promise<unknown> }

/**
 * POST /:id/status: runs the move that leads to the requested state, under the move's own permission, with the same function and
 * checks as the move's own route. A state that no move reaches needs `update` and answers 422.
 */
export function statusRoute<T extends RecordTable, S extends string, M extends string>(
  of: Resource<T> & Stored<T, S>,
  states: Machine<S, M>,
  verbs: Verbs<T, M> = {},
  guards: { [K in M]?: Guard<Row<T>> } = {},
): Route {
  const allowOf = (move?: M) => (move && states.moves[move].allow) || of.may('update')
  const allow = [...new Set([of.may('update'), ...(Object.keys(states.moves) as M[]).map(allowOf)])]
  const body = z.object({ status: choice(states.states) })
  const route = action(
    of,
    '/:id/status',
    { allow, grants: false, body, message: 'Status changed.' },
    async (ctx, row, { status: to }) => {
      const { status: from } = row as unknown as { status: S }
      const move = states.leadingTo(to, from)
      ctx.require(allowOf(move))
      if (!move) throw states.unreachable(to)
      await guards[move]?.(ctx, row)
      await (verbs[move]?.(ctx, row) ?? states.move(ctx, of, row, move))
    },
  )
  return ruledBy(route, {
    states: states as unknown as Machine,
    allowOf: allowOf as (move?: string) => Permission,
    guardOf: (move) => guards[move as M] as Guard<any> | undefined,
  })
}

/** Throws at startup if a module has notes on records whose mentioned users would not be notified, according to the manifests. */
export async function requireMentions(modules: Modules) {
  const told = modules.all
    .flatMap(({ notifications }) => notifications?.mentions ?? [])
    .map((type) => modules.subjects.get(type)?.of)
  for (const { module, route, path } of await modules.routes())
    if (route.spec.body === NoteBody && !told.some((of) => (of as Resource | undefined)?.lock === route.spec.record))
      throw new Error(
        `${module.key}: whom a note mentions at ${path} would not be told; name its subject in notifications.mentions`,
      )
}
