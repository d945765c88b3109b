/** Templates, addressed by uuid. A text may only contain placeholders of its context. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { createRecord, updateRecord } from '#kernel/records/saving.ts'
import { changesOf } from '#kernel/values/fields.ts'
import { CONTEXTS } from './contexts.ts'
import { checkTokens } from './placeholders.ts'
import { CHANNELS, CreateTemplate, Template } from './schema.ts'

export const templates = resource({
  table: 'communication_templates',
  module: 'communication-templates',
  noun: 'communication template',
  key: 'uuid',
  item: Template,
  unique: { communication_templates_name: { name: 'Another template of this context and channel has this name.' } },
})

export const templateList = listing(templates, {
  search: ['name', 'category', 'body'],
  sorts: ['name', 'created_at', 'updated_at', 'last_used_at'],
  filters: {
    context: filter.oneOf('context', CONTEXTS),
    channel: filter.oneOf('channel', CHANNELS),
    category: filter.text('category'),
    is_active: filter.flag('is_active'),
  },
})

export const ChangeTemplate = changesOf(CreateTemplate)

/** 422 on `body` for unknown placeholders, on `name` for one that is taken (TPL-02). */
export function createTemplate(ctx: Ctx, body: z.output<typeof CreateTemplate>) {
  checkTokens(body.body, body.context)
  return createRecord(ctx, templates, CreateTemplate, body)
}

/** Changes a template; its text is validated for the template's new context. */
export async function updateTemplate(ctx: Ctx, template: Row<'communication_templates'>, body: z.output<typeof ChangeTemplate>) {
  const { body: text = template.body, context = template.context } = body
  checkTokens(text, context)
  await updateRecord(ctx, templates, ChangeTemplate, template, body)
}
