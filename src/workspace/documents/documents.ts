/** Documents: seen by all who may see any, deleted by whoever uploaded them and by the owner. */
import { sql } from 'kysely'
import type { z } from 'zod'
import { filter, listing } from '#kernel/records/listing.ts'
import { resource } from '#kernel/records/resource.ts'
import type { Stats } from '#kernel/records/stats.ts'
import { Document, DocumentStats } from './schema.ts'

export const documents = resource({
  table: 'documents',
  module: 'documents',
  noun: 'document',
  title: 'title',
  item: Document,
  tallied: [],
})

/** DOC-13. */
export const documentList = listing(documents, {
  search: true,
  sorts: ['title', 'original_name', 'size_bytes', 'created_at', 'updated_at'],
  filters: { category_id: filter.id('category_id') },
})

/** DOC-12. */
export const documentStats: Stats = {
  list: documentList,
  reply: DocumentStats,
  async read(ctx, query) {
    const { rows } = await sql<z.input<typeof DocumentStats>>`
      select count(*)::int as total, count(category_id)::int as categorized, count(*) filter (where category_id is null)::int as uncategorized
      from documents where ${sql.join(documentList.conditions(ctx, query), sql` and `)}`.execute(ctx.tx)
    return rows[0]!
  },
}
