/** Documents: visible to all users who may view any; deleted by their uploader and by the owner. */
import { filter, listing } from '#kernel/records/listing.ts'
import { resource } from '#kernel/records/resource.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { linkFilters } from './links.ts'
import { Document } from './schema.ts'

export const documents = resource({
  table: 'documents',
  module: 'documents',
  noun: 'document',
  title: 'title',
  item: Document,
  tallied: ['status'],
})

const states = ['categorized', 'uncategorized'] as const

/** The list of documents and its filters (DOC-13). */
export const documentList = listing(documents, {
  search: true,
  sorts: ['title', 'original_name', 'size_bytes', 'created_at', 'updated_at'],
  filters: { category_id: filter.id('category_id'), status: filter.oneOf('status', states), ...linkFilters },
})

/** Counts of documents (DOC-12). */
export const documentStats = statsOf('DocumentStats', documentList, { total: 'total', states })
