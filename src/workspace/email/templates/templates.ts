/** Templates of e-mails: one's own, those that are shared, and for the owner of the workspace all (EML-33 … EML-36). */
import { type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { forbidden } from '#kernel/errors.ts'
import { filter, filterOf, listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { queryFlag } from '#kernel/values/fields.ts'
import { Template } from './schema.ts'

export type TemplateRow = Row<'email_templates'>

const ownOrShared = (ctx: Ctx) => sql<SqlBool>`(email_templates.user_id = ${ctx.actor.id} or email_templates.is_shared)`

export const templates = lookupTable({
  table: 'email_templates',
  noun: 'template',
  item: Template,
  key: 'uuid',
  scope: (ctx) => (ctx.actor.isOwner ? undefined : ownOrShared(ctx)),
})

export const templateList = listing(templates, {
  search: ['name', 'category', 'subject'],
  filters: {
    /** Those that the actor may apply: not, for the owner, what others keep to themselves (EML-34). */
    for_compose: filterOf({
      schema: queryFlag(),
      where: (ctx: Ctx, value) => (value ? sql`email_templates.is_active and ${ownOrShared(ctx)}` : undefined),
    }),
    category: filterOf({ schema: z.string().max(100), where: (_, value, column) => sql`${column('category')} = ${value}` }),
    is_active: filter.flag('is_active'),
    is_shared: filter.flag('is_shared'),
  },
  hardDeleted: true,
})

/** 403 for those of others. */
export const findEditable = async (ctx: Ctx, uuid: string) => editable(ctx, await templates.find(ctx, uuid))

/** Locked, to be changed or deleted; 403 for those of others. */
export const lockEditable = async (ctx: Ctx, uuid: string) => editable(ctx, await templates.lock(ctx, uuid))

function editable(ctx: Ctx, template: TemplateRow): TemplateRow {
  if (!mayEdit(ctx, template)) throw forbidden('A template is changed by its creator and by the owner of the workspace.')
  return template
}

export const mayEdit = (ctx: Pick<Ctx, 'actor'>, { user_id }: TemplateRow) => ctx.actor.isOwner || user_id === ctx.actor.id
