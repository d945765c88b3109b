/** The folders of a mailbox, as its server has them, with what is in them here (EML-12). */
import { sql } from 'kysely'
import { z } from 'zod'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import { computed, view } from '#kernel/records/view.ts'
import { choice, hardStamps } from '#kernel/values/fields.ts'
import { ofMyAccounts } from '../accounts/mine.ts'
import { countIn } from './counts.ts'

const FOLDER_TYPES = ['inbox', 'drafts', 'sent', 'archive', 'junk', 'trash', 'all', 'custom'] as const

const count = (which: 'all' | 'unread') => computed(z.int(), ({ ctx, table }) => countIn(ctx, sql.ref(`${table}.id`), which))

export const Folder = view('email_folders', 'EmailFolder', {
  uuid: z.string(),
  name: z.string(),
  type: choice(FOLDER_TYPES),
  remote_path: z.string().nullable(),
  unread_count: count('unread'),
  total_count: count('all'),
  ...hardStamps,
})

export const folders = lookupTable({
  table: 'email_folders',
  noun: 'folder',
  item: Folder,
  key: 'uuid',
  scope: ofMyAccounts('email_folders'),
})

export const folderList = listing(folders, {
  order: { by: ['name'] },
  hardDeleted: true,
})
