/** Templates with the mapping and notation of recurring files. Users who may import such records can use them. */
import { type SqlBool, sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import { importables, mayUse } from '#kernel/http/collections.ts'
import { assertDistinctSigns } from '#kernel/import/notation.ts'
import { notationOf } from '#kernel/import/table-fields.ts'
import { isEntitled } from '#kernel/modules/subscriptions.ts'
import { filterOf, type ListQuery, listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { API } from './imports.ts'
import { type CreateImportTemplate, ImportTemplate, type Mapping } from './schema.ts'

/** Maximum templates of one kind of record. */
const MAX_TEMPLATES = 100

const templates = lookupTable({
  table: 'import_templates',
  noun: 'import template',
  item: ImportTemplate,
  title: null,
  unique: { import_templates_name: { name: 'Another template of these records has this name.' } },
})

const list = listing(templates, {
  search: ['name'],
  filters: {
    module: filterOf({
      schema: ImportTemplate.shape.module.max(100),
      column: 'module',
      where: (_, value, column) => sql`${column('module')} = ${value}`,
    }),
  },
  sorts: ['name'],
  order: { by: ['name'] },
  hardDeleted: true,
})

export const templateQuery = list.query

/**
 * Returns the paths of collections that a file can be imported into, including those with their own import, and whether the actor
 * may import into each.
 */
async function modulesOf(ctx: Ctx): Promise<Map<string, boolean>> {
  const modules = new Map((await importables(ctx)).map(({ path, isOpen }) => [path.slice(API.length), isOpen]))
  for (const { module, route, path } of await ctx.services.modules.routes()) {
    const [, collection] = /^(.+)\/imports$/.exec(path.startsWith(API) ? path.slice(API.length) : '') ?? []
    if (collection && route.method === 'POST' && isEntitled(ctx, module)) modules.set(collection, mayUse(ctx, route))
  }
  return modules
}

/** 422 on `module` for records that can't be imported; 403 for an actor who may not import them. */
async function assertMayImport(ctx: Ctx, module: string) {
  const modules = await modulesOf(ctx)
  const isOpen = modules.get(module)
  if (isOpen === undefined) throw invalid({ module: `Must be one of ${[...modules.keys()].toSorted().join(', ')}.` })
  if (!isOpen) throw forbidden('You may not import such records.')
}

export async function pageOfTemplates(ctx: Ctx, query: ListQuery) {
  const open = [...(await modulesOf(ctx))].flatMap(([module, isOpen]) => (isOpen ? [module] : []))
  return list.page(ctx, query, { only: sql<SqlBool>`import_templates.module = any(${open}::text[])` })
}

/**
 * Returns the template, locked until the transaction ends. 404 if there is none; 403 for an actor who may not import such
 * records.
 */
export async function lockTemplate(ctx: Ctx, id: number): Promise<Row<'import_templates'>> {
  const found = await templates.lock(ctx, id)
  await assertMayImport(ctx, found.module)
  return found
}

export async function showTemplate(ctx: Ctx, id: number) {
  await assertMayImport(ctx, (await templates.find(ctx, id)).module)
  return templates.show(ctx, id)
}

const stored = ({ mapping, ...others }: Partial<z.output<typeof CreateImportTemplate>>) => ({
  ...others,
  ...(mapping ? { mapping: JSON.stringify(Object.fromEntries(Object.entries(mapping).filter(([, header]) => header))) } : {}),
})

export async function createTemplate(ctx: Ctx, body: z.output<typeof CreateImportTemplate>) {
  await assertMayImport(ctx, body.module)
  assertDistinctSigns(body)
  const { count } = await ctx
    .from('import_templates')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('module', '=', body.module)
    .executeTakeFirstOrThrow()
  if (Number(count) >= MAX_TEMPLATES)
    throw invalid({ name: `There are ${MAX_TEMPLATES} templates of these records. Delete one first.` })
  const { id } = await templates.insert(ctx, { ...stored(body), created_by: ctx.actor.id } as never)
  return templates.show(ctx, id)
}

export async function changeTemplate(
  ctx: Ctx,
  template: Row<'import_templates'>,
  body: Partial<z.output<typeof CreateImportTemplate>>,
) {
  assertDistinctSigns({ ...notationOf(template), ...body })
  await templates.save(ctx, template, stored(body) as never)
  return templates.show(ctx, template.id)
}

export const removeTemplate = (ctx: Ctx, template: Row<'import_templates'>) => templates.remove(ctx, template)

/** Returns the template that a client chose for an upload. 422 on `template_id` if there is none for such records. */
export async function templateFor(ctx: Ctx, module: string, id: number): Promise<Row<'import_templates'>> {
  const found = await ctx
    .from('import_templates')
    .selectAll()
    .where('id', '=', id)
    .where('module', '=', module)
    .executeTakeFirst()
  if (!found) throw invalid({ template_id: 'There is no such template of these records.' })
  return found as Row<'import_templates'>
}

/** Returns the template with the most columns of those whose columns the file all has; the last changed one of several. */
export async function templateWith(ctx: Ctx, module: string, headers: string[]): Promise<Row<'import_templates'> | undefined> {
  const all = (await ctx
    .from('import_templates')
    .selectAll()
    .where('module', '=', module)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_TEMPLATES)
    .execute()) as Row<'import_templates'>[]
  const columns = ({ mapping }: Row<'import_templates'>) => Object.values(mapping as Mapping)
  const fitting = all.filter((one) => columns(one).every((header) => headers.includes(header)))
  return fitting.toSorted((a, b) => columns(b).length - columns(a).length)[0]
}
