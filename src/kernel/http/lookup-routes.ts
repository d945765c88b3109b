/** Routes of lookup tables: categories, stages, tags, reasons, roles. */
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { exportTypes } from '../export/file.ts'
import { type Exported, recordExport } from '../export/records.ts'
import type { Permission } from '../names.ts'
import type { Listing, ListQuery } from '../records/listing.ts'
import type { LookupTable, LookupTableName } from '../records/lookup-table.ts'
import { checkReferences } from '../records/references.ts'
import type { Row } from '../records/resource.ts'
import { changesOf } from '../values/fields.ts'
import { capital } from '../values/words.ts'
import { type Route, workspace } from './route.ts'

interface LookupRoutes<T extends LookupTableName, B extends z.ZodObject> {
  list: Listing<any, Ctx>
  body: B
  /** The four permissions, often another module's: `{ view: 'expenses.view', … }`. */
  allow: Record<'view' | 'create' | 'update' | 'delete', Permission>
  /** Guards and defaults of the module; each must call the table's function of that name. */
  create?: (ctx: Ctx, body: z.output<B>) => Promise<Row<T>>
  update?: (ctx: Ctx, row: Row<T>, body: Partial<z.output<B>>) => Promise<unknown>
  remove?: (ctx: Ctx, row: Row<T>) => Promise<unknown>
  /** See `AccessRules.grants`. Default: false. */
  grants?: boolean
}

const { get, post, put, del, multiTransaction } = workspace

/** GET of `path`/export: exports a list of rows that aren't records. `body` is the request body of such a row. */
export function listExport(
  of: Exported,
  path: '' | `/${string}`,
  { list, allow, body = z.object() }: { list: Listing<any, Ctx>; allow: Permission; body?: z.ZodObject },
): Route {
  const exported = recordExport(of, list, body)
  return multiTransaction.get(`${path}/export`, { allow, query: list.exportQuery, file: exportTypes }, (steps, { query }) =>
    exported(steps, query as never),
  )
}

/**
 * GET and POST of `path`, its export, and GET, PUT and DELETE of a single row. The view permission is enough to export: with so
 * few rows the list's first page shows as much as the file.
 */
export function lookupRoutes<T extends LookupTableName, B extends z.ZodObject>(
  of: LookupTable<T>,
  path: '/' | `/${string}`,
  spec: LookupRoutes<T, B>,
): Route[] {
  const { list, body, allow, create = of.insert, update = of.save, remove = of.remove, grants = false } = spec
  const changes = changesOf(body)
  const one = `${path === '/' ? '' : path}/:${of.key}`
  const Noun = capital(of.noun)
  return [
    listExport(of, path === '/' ? '' : path, { list, allow: allow.view, body }),
    get(path, { allow: allow.view, query: list.query, page: of.item as z.core.$ZodType }, (ctx, { query }) =>
      list.page(ctx, query as ListQuery),
    ),
    post(
      path,
      {
        allow: allow.create,
        grants,
        body: body as z.ZodObject,
        reply: of.item as z.core.$ZodType,
        status: 201,
        message: `${Noun} created.`,
      },
      async (ctx, { body: sent }) => {
        await checkReferences(ctx, body, sent)
        return of.show(ctx, (await create(ctx, sent as never))[of.key as never])
      },
    ),
    get(one, { allow: allow.view, reply: of.item as z.core.$ZodType }, (ctx, input) => of.show(ctx, keyIn(of, input))),
    put(
      one,
      {
        allow: allow.update,
        grants,
        record: of.lock,
        body: changes as z.ZodObject,
        reply: of.item as z.core.$ZodType,
        message: `${Noun} saved.`,
      },
      async (ctx, { record, body: sent, ...input }) => {
        await checkReferences(ctx, changes, sent, record as object)
        await update(ctx, record, sent as never)
        return of.show(ctx, keyIn(of, input))
      },
    ),
    del(one, { allow: allow.delete, grants, record: of.lock, message: `${Noun} deleted.` }, async (ctx, { record }) => {
      await remove(ctx, record)
    }),
  ]
}

const keyIn = (of: LookupTable, input: object) => (input as Record<string, number | string>)[of.key]!
