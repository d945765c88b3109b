/** Saved views of lists: the user's own, and those shared by others. */
import { type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import { workspace } from '#kernel/http/route.ts'
import { actorRef } from '#kernel/records/embed.ts'
import { filterOf, listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { computed, view } from '#kernel/records/view.ts'
import { changesOf, choice, hardStamps, optionalText, text } from '#kernel/values/fields.ts'

const MAX_COLUMNS = 100
const MAX_FILTERS = 50
const SCREEN = /^[a-z0-9]+(-[a-z0-9]+)*$/
const FIELD = /^[a-z][a-z0-9_]*$/
const LAYOUTS = ['list', 'board'] as const
const DIRECTIONS = ['asc', 'desc'] as const

const screenKey = () =>
  text(100)
    .regex(SCREEN, 'Must be the key of a screen, such as vendors.')
    .meta({ description: 'Key of the screen whose list it is (as `GET /console` has it).', examples: ['fleet'] })

const said = {
  columns: { description: 'Fields that stand in the list; none: the usual ones.', examples: [['number', 'total']] },
  filters: { description: 'Parameters of the list, by their names.', examples: [{ status: 'sent' }] },
  sort: { description: 'What it is sorted by; null: as the list is.', examples: ['total'] },
}

const CreateSavedView = z.object({
  screen: screenKey(),
  name: text(100).meta({ description: 'What it is called.', examples: ['Unpaid, largest first'] }),
  layout: choice(LAYOUTS).default('list').describe('Whether it is a list or a board.'),
  columns: z
    .array(z.string().max(100).regex(FIELD, 'Must be the name of a field.'))
    .max(MAX_COLUMNS, `Must name at most ${MAX_COLUMNS} fields.`)
    .default([])
    .meta(said.columns),
  filters: z
    .record(z.string().max(100).regex(FIELD, 'Must be the name of a parameter.'), z.string().max(1000))
    .refine((given) => Object.keys(given).length <= MAX_FILTERS, `Must have at most ${MAX_FILTERS} parameters.`)
    .default({})
    .meta(said.filters),
  sort: optionalText(100).meta(said.sort),
  direction: choice(DIRECTIONS).nullable().default(null).describe('Which way it is sorted; null: as the list is.'),
  is_shared: z.boolean().default(false).describe('Whether everybody of the workspace has it; false: only whoever made it.'),
})

/** Maximum number of a user's own views, over all lists. */
const MAX_VIEWS = 200

const isMine = (ctx: Ctx) => sql<SqlBool>`saved_views.user_id = ${ctx.actor.id}`
/** The creator may edit a view; the workspace's owner may edit shared ones. */
const mayEdit = ({ actor }: Pick<Ctx, 'actor'>, { user_id }: Row<'saved_views'>) => user_id === actor.id || actor.isOwner

const SavedView = view('saved_views', 'SavedView', {
  id: z.int(),
  screen: z.string().meta({ description: 'Key of the screen whose list it is.', examples: ['fleet'] }),
  name: z.string().meta({ description: 'What it is called.', examples: ['Unpaid, largest first'] }),
  layout: z.enum(LAYOUTS).describe('Whether it is a list or a board.'),
  columns: z.array(z.string()).meta(said.columns),
  filters: z.record(z.string(), z.string()).meta(said.filters),
  sort: z.string().nullable().meta(said.sort),
  direction: z.enum(DIRECTIONS).nullable().describe('Which way it is sorted; null: as the list is.'),
  is_shared: z.boolean().describe('Whether everybody of the workspace has it.'),
  user: actorRef('user_id'),
  can_edit: computed(z.boolean(), ({ ctx }) => (ctx.actor.isOwner ? sql`true` : isMine(ctx))).describe(
    'Whether the caller may change and delete it.',
  ),
  ...hardStamps,
})

const savedViews = lookupTable({
  table: 'saved_views',
  noun: 'saved view',
  item: SavedView,
  scope: (ctx) => sql<SqlBool>`(saved_views.is_shared or ${isMine(ctx)})`,
  unique: { saved_views_name: { name: 'Another of your views of this list has this name.' } },
})

const savedViewList = listing(savedViews, {
  search: ['name'],
  filters: {
    screen: filterOf({ schema: screenKey(), column: 'screen', where: (_, value, column) => sql`${column('screen')} = ${value}` }),
  },
  sorts: ['name'],
  order: { by: ['name'] },
  hardDeleted: true,
})

/** Locks a view for a change or deletion; 403 for another user's. */
async function lockEditable(ctx: Ctx, id: number) {
  const found = await savedViews.lock(ctx, id)
  if (!mayEdit(ctx, found)) throw forbidden('A shared view is changed by whoever made it and by the owner of the workspace.')
  return found
}

async function mustHaveRoom(ctx: Ctx) {
  const { count } = await ctx
    .from('saved_views')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', ctx.actor.id!)
    .executeTakeFirstOrThrow()
  if (Number(count) >= MAX_VIEWS) throw invalid({ name: `You have ${MAX_VIEWS} views already. Delete one first.` })
}

const stored = ({ columns, filters, ...rest }: { columns?: string[]; filters?: Record<string, string> }) => ({
  ...rest,
  ...(columns ? { columns: JSON.stringify(columns) } : {}),
  ...(filters ? { filters: JSON.stringify(filters) } : {}),
})

const { get, post, put, del } = workspace
/** Views grant no access: each shows only what the user may see anyway. */
const own = { allow: 'signed-in', reply: SavedView } as const

export default [
  get(
    '/',
    {
      allow: 'signed-in',
      query: savedViewList.query,
      page: SavedView,
      description: 'Answers the caller’s own views of lists, and those that others share.',
    },
    (ctx, { query }) => savedViewList.page(ctx, query),
  ),
  post('/', { grants: false, ...own, body: CreateSavedView, status: 201, message: 'View saved.' }, async (ctx, { body }) => {
    await mustHaveRoom(ctx)
    const { id } = await savedViews.insert(ctx, { ...stored(body), user_id: ctx.actor.id! } as never)
    return savedViews.show(ctx, id)
  }),
  get('/:id', own, (ctx, { id }) => savedViews.show(ctx, id)),
  put(
    '/:id',
    { grants: false, ...own, record: lockEditable, body: changesOf(CreateSavedView), message: 'View saved.' },
    async (ctx, { id, record, body }) => {
      await savedViews.save(ctx, record, stored(body) as never)
      return savedViews.show(ctx, id)
    },
  ),
  del('/:id', { allow: 'signed-in', grants: false, record: lockEditable, message: 'View deleted.' }, async (ctx, { record }) => {
    await savedViews.remove(ctx, record)
  }),
]
