import { z } from 'zod'
import { lookupRoutes } from '#kernel/http/lookup-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { ReorderTags, reorderTags } from './reordering.ts'
import { CreateTag, createTag, deleteTag, LeadTag, tagList, tags, updateTag } from './tags.ts'

/** LEAD-21. */
export default [
  ...lookupRoutes(tags, '/lead-tags', {
    list: tagList,
    body: CreateTag,
    allow: { view: 'leads.view', create: 'leads.create', update: 'leads.update', delete: 'leads.delete' },
    create: createTag,
    update: updateTag,
    remove: deleteTag,
  }),
  workspace.post(
    '/lead-tags/reorder',
    { allow: 'leads.update', body: ReorderTags, reply: z.array(LeadTag), message: 'Tags reordered.' },
    (ctx, { body }) => reorderTags(ctx, body),
  ),
]
