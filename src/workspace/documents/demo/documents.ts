/** Demo documents in categories, with real files, linked to the records they concern. */
import { Readable } from 'node:stream'
import type { Ctx } from '#kernel/context.ts'
import { foundedAt } from '#kernel/demo/calendar.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { insertRecords, insertStories, recordsOf, trashedAfter } from '#kernel/demo/stories.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import { keepUpload, receiveUpload } from '#kernel/storage/uploads.ts'
import { countStorage } from '#workspace/storage/public.ts'
import { columnsOf, documentFile } from '../formats.ts'
import { type Paper, papers } from './papers.ts'

const categories = {
  en: ['Contracts', 'Delivery notes', 'Price lists', 'Certificates'],
  de: ['Verträge', 'Lieferscheine', 'Preislisten', 'Zertifikate'],
}
const slugs = ['contracts', 'delivery-notes', 'price-lists', 'certificates']
/** Types of records that a document may be linked to. */
const types = ['contact', 'company', 'project', 'lead', 'employee', 'asset', 'task'] as const
const tables = {
  contact: 'contacts',
  company: 'companies',
  project: 'projects',
  lead: 'leads',
  employee: 'employees',
  asset: 'assets',
  task: 'tasks',
} as const

export default defineDemo({
  async fill(ctx, plan) {
    const { random, people } = plan
    const at = plan.calendar.instant(0)!
    const names = plan.say(categories)
    const categoryIds = await insertRecords(
      ctx,
      'document_categories',
      names.map((name, n) => ({
        ...{ name, slug: slugs[n]!, sort_order: 10 * (n + 1) },
        ...{ created_by: people[0]!.id, created_at: at, updated_at: at },
      })),
    )
    const all = plan.say(papers)
    const count = plan.share(1 / 20, { least: 12, most: 120 })
    const stories = []
    for (let n = 0; n < count; n++) {
      const paper = all[n % all.length]!
      const created = { type: 'created', at: foundedAt(plan, n, count), by: random.pick(people).id }
      stories.push({
        row: {
          title: n < all.length ? paper.title : `${paper.title} ${calendarYear(created.at)}-${String(n + 1).padStart(2, '0')}`,
          category_id: paper.category === null ? null : categoryIds[paper.category]!,
          ...(await stored(ctx, paper, n)),
        },
        timeline: n === count - 1 ? [created, trashedAfter(plan, created)] : [created],
      })
    }
    const ids = await insertStories(ctx, 'documents', stories)
    const bytes = stories.reduce((sum, { row }) => sum + row.size_bytes, 0)
    await countStorage(ctx, bytes, 'file')
    await linkSome(ctx, plan, ids)
    return count + categoryIds.length
  },
})

const calendarYear = (instant: string) => instant.slice(0, 4)

async function stored(ctx: Ctx, { file, text }: Paper, n: number) {
  const content = Readable.from([Buffer.from(`${text.trim()}\n\n(${n + 1})\n`)])
  const upload = await receiveUpload(ctx.services, ctx.tenant.id, { name: file, content }, documentFile)
  if (typeof upload === 'string') throw new Error(`${file}: ${upload}`)
  await keepUpload(ctx, upload)
  return columnsOf(upload)
}

/** Links three in four documents to a record. */
async function linkSome(ctx: Ctx, { random }: Plan, documentIds: number[]) {
  const found = types.map(async (type) => ({ type, ids: (await recordsOf(ctx, tables[type])).map(({ id }) => id) }))
  const known = (await Promise.all(found)).filter(({ ids }) => ids.length)
  if (!known.length) return
  const linked = documentIds.filter((_, n) => n % 4 !== 3)
  const rows = linked.map((document_id, n) => {
    const { type, ids } = known[n % known.length]!
    return { document_id, type, subject_id: random.pick(ids) }
  })
  await insertRows(ctx, 'document_links', rows)
}
