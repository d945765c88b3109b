/** Categories of documents, in an order that the workspace chooses. Slugs are unique among those not deleted. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { recordRoutes } from '#kernel/http/record-routes.ts'
import { actorRef } from '#kernel/records/embed.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { createRecord, updateRecord } from '#kernel/records/saving.ts'
import { view } from '#kernel/records/view.ts'
import { changesOf, stamps, text, wholeNumber } from '#kernel/values/fields.ts'

const SLUG = /^([\p{Ll}\p{Lm}\p{Lo}\p{M}\p{N}]+(-[\p{Ll}\p{Lm}\p{Lo}\p{M}\p{N}]+)*)?$/u

/** Input of a new category (DOC-30 … DOC-33). */
const CreateCategory = z.object({
  name: text(255),
  slug: z
    .string()
    .max(255, 'Must be at most 255 characters.')
    .regex(SLUG, 'Must be lower-case letters and digits, with hyphens between them.')
    .nullish(),
  sort_order: wholeNumber(-1_000_000, 1_000_000).default(0),
  is_active: z.boolean().default(true),
})
const ChangeCategory = changesOf(CreateCategory)

const Category = view('document_categories', 'DocumentCategory', {
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  sort_order: z.int(),
  is_active: z.boolean(),
  creator: actorRef('created_by'),
  ...stamps,
})

const categories = resource({
  table: 'document_categories',
  module: 'documents',
  noun: 'document category',
  item: Category,
  unique: { document_categories_slug: { slug: 'Another document category has this slug.' } },
})

/** Converts a name to a slug, in its own script: `Verträge & Anlagen` is `vertrage-anlagen`. */
const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .slice(0, 255)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '') || 'category'

/** Categories have the permissions of documents (DOC-36). */
export const categoryRoutes = recordRoutes(categories, {
  // DOC-34
  list: listing(categories, {
    order: { by: ['sort_order', 'name'] },
    search: ['name'],
    filters: { is_active: filter.flag('is_active') },
  }),
  body: CreateCategory,
  changes: ChangeCategory,
  create: (ctx, body) => createRecord(ctx, categories, CreateCategory, { ...body, slug: body.slug || slugOf(body.name) }),
  /** DOC-35. */
  async update(ctx, category, { slug, ...body }) {
    const { name } = { ...category, ...body }
    const isNew = name !== category.name || slug === null || slug === ''
    await updateRecord(ctx, categories, ChangeCategory, category, { ...body, slug: slug || (isNew ? slugOf(name) : undefined) })
  },
  /** DOC-37. The category's row is locked: a transaction that assigns a document to it waits, and then doesn't find it. */
  guards: {
    async remove(ctx, category) {
      if (await hasDocuments(ctx, category)) throw invalid({ document_category: 'This document category still has documents.' })
    },
  },
})

async function hasDocuments(ctx: Ctx, { id }: Row<'document_categories'>) {
  const found = await ctx
    .from('documents')
    .select('id')
    .where('category_id', '=', id)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Prevents a category from being deleted until the transaction ends; 422 on `category_id` if there is none (DOC-03). */
export async function holdCategory(ctx: Ctx, id: number | null | undefined) {
  if (id == null) return
  const held = await ctx
    .from('document_categories')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst()
  if (!held) throw invalid({ category_id: 'There is no such document category in this workspace.' })
}
