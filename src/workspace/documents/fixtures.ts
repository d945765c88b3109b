/** A few papers in their categories, with real files behind them, linked to contacts and companies. */
import { Readable } from 'node:stream'
import type { Ctx } from '#kernel/context.ts'
import { defineDemo, foundedAt, insertRecords, insertRows, type Plan } from '#kernel/modules/demo.ts'
import { keepUpload, receiveUpload } from '#kernel/storage/uploads.ts'
import { countStorage } from '#workspace/storage/public.ts'
import { columnsOf, documentFile } from './formats.ts'

const categories = [
  { name: 'Contracts', slug: 'contracts', sort_order: 10 },
  { name: 'Delivery notes', slug: 'delivery-notes', sort_order: 20 },
  { name: 'Price lists', slug: 'price-lists', sort_order: 30 },
  { name: 'Certificates', slug: 'certificates', sort_order: 40 },
]
const papers = [
  { category: 0, title: 'Framework agreement', file: 'framework-agreement.txt' },
  { category: 0, title: 'Terms of delivery', file: 'terms-of-delivery.txt' },
  { category: 1, title: 'Delivery note', file: 'delivery-note.txt' },
  { category: 2, title: 'Price list', file: 'price-list.csv' },
  { category: 3, title: 'Organic certificate', file: 'organic-certificate.txt' },
  { category: null, title: 'Minutes of the meeting', file: 'minutes.txt' },
]

export default defineDemo({
  async fill(ctx, plan) {
    const { random, people } = plan
    const at = plan.calendar.instant(0)!
    const stamps = { created_by: people[0]!.id, created_at: at, updated_at: at }
    const categoryIds = await insertRecords(
      ctx,
      'document_categories',
      categories.map((category) => ({ ...category, ...stamps })),
    )
    const count = plan.share(1 / 100, { least: papers.length, most: 120 })
    const rows = []
    for (let n = 0; n < count; n++) {
      const { category, title, file } = papers[n % papers.length]!
      const at = foundedAt(plan, n, count)
      rows.push({
        title: `${title} ${n + 1}`,
        category_id: category === null ? null : categoryIds[category]!,
        ...(await stored(ctx, plan, file)),
        created_by: random.pick(people).id,
        created_at: at,
        updated_at: at,
      })
    }
    const ids = await insertRecords(ctx, 'documents', rows)
    await countStorage(
      ctx,
      rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
      'file',
    )
    await linkSome(ctx, plan, ids)
    return count + categories.length
  },
})

async function stored(ctx: Ctx, { faker }: Plan, name: string) {
  const isTable = name.endsWith('.csv')
  const lines = Array.from({ length: 20 }, () =>
    isTable ? `${faker.commerce.productName()},${faker.commerce.price()}` : faker.lorem.paragraph(),
  )
  const content = Readable.from([Buffer.from((isTable ? ['product,price', ...lines] : lines).join('\n'))])
  const upload = await receiveUpload(ctx.services, ctx.tenant.id, { name, content }, documentFile)
  if (typeof upload === 'string') throw new Error(`${name}: ${upload}`)
  await keepUpload(ctx, upload)
  return columnsOf(upload)
}

/** Two in three are about somebody. */
async function linkSome(ctx: Ctx, { random }: Plan, documentIds: number[]) {
  const some = (table: 'contacts' | 'companies') =>
    ctx.tx.selectFrom(table).select('id').where('tenant_id', '=', ctx.tenant.id).orderBy('id').limit(1000).execute()
  const known = [
    ...(ctx.entitled('contacts') ? (await some('contacts')).map(({ id }) => ({ type: 'contact' as const, subject_id: id })) : []),
    ...(ctx.entitled('companies')
      ? (await some('companies')).map(({ id }) => ({ type: 'company' as const, subject_id: id }))
      : []),
  ]
  if (!known.length) return
  const linked = documentIds.filter(() => random.happens(2 / 3))
  await insertRows(
    ctx,
    'document_links',
    linked.map((document_id) => ({ document_id, ...random.pick(known) })),
  )
}
