/** The routes that every soft-deletable record has, made from its resource: delete, restore, force; notes; timeline; assign. */
import type { z } from 'zod'
import type { Ctx } from '../context.ts'
import { type Route, workspace } from '../http/route.ts'
import type { Permission } from '../modules/module.ts'
import { AssignBody, assign } from './assignment.ts'
import { Paging } from './listing.ts'
import { addNote, Note, NoteBody } from './notes.ts'
import type { Resource } from './resource.ts'
import { Activity, timeline } from './timeline.ts'

interface Life<R extends z.ZodType> {
  of: Resource
  /** The module's key: `purchase-orders` makes `purchase-orders.delete` and so on. */
  permissions: string
  /** The record's detail view and its schema, answered after a change. */
  show: (ctx: Ctx, id: number) => Promise<z.input<R>>
  reply: R
  /** What must still hold when a deleted record comes back (a name that was taken meanwhile): throws 422. */
  beforeRestore?: (ctx: Ctx, row: any) => Promise<void>
}

const { get, post, del } = workspace

/** DELETE /:id, POST /:id/restore, DELETE /:id/force (CONV-04, CONV-05). */
export function lifeRoutes<R extends z.ZodType>({ of, permissions, show, reply, beforeRestore }: Life<R>): Route[] {
  const may = (action: string) => `${permissions}.${action}` as Permission
  const Noun = of.noun[0]!.toUpperCase() + of.noun.slice(1)
  return [
    del('/:id', { allow: may('delete'), record: of.lock, message: `${Noun} deleted.` }, async (ctx, { record }) => {
      await of.trash(ctx, record)
    }),
    post(
      '/:id/restore',
      { allow: may('restore'), record: of.lockAny, reply: reply as z.ZodType, message: `${Noun} restored.` },
      async (ctx, { id, record }) => {
        if (record.deleted_at !== null) await beforeRestore?.(ctx, record)
        await of.restore(ctx, record)
        return show(ctx, id) as Promise<any>
      },
    ),
    del(
      '/:id/force',
      { allow: may('force.delete'), record: of.lockAny, message: `${Noun} deleted for good.` },
      async (ctx, { record }) => {
        await of.force(ctx, record)
      },
    ),
  ]
}

/** POST /:id/notes (CONV-10) and GET /:id/timeline. */
export function storyRoutes({ of, permissions }: Pick<Life<never>, 'of' | 'permissions'>): Route[] {
  const may = (action: string) => `${permissions}.${action}` as Permission
  return [
    post(
      '/:id/notes',
      { allow: may('update'), record: of.lock, body: NoteBody, reply: Note, status: 201, message: 'Note added.' },
      (ctx, { id, body }) => addNote(ctx, of, id, body.body),
    ),
    get('/:id/timeline', { allow: may('view'), query: Paging, page: Activity }, async (ctx, { id, query }) => {
      await of.find(ctx, id)
      return timeline(ctx, of, id, query)
    }),
  ]
}

/** POST /:id/assign. */
export function assignRoute<R extends z.ZodType>({ of, permissions, show, reply }: Life<R>): Route {
  return post(
    '/:id/assign',
    {
      allow: `${permissions}.assign` as Permission,
      record: of.lock,
      body: AssignBody,
      reply: reply as z.ZodType,
      message: 'Assignment saved.',
    },
    async (ctx, { id, record, body }) => {
      await assign(ctx, of, record, body.assigned_to)
      return show(ctx, id) as Promise<any>
    },
  )
}
