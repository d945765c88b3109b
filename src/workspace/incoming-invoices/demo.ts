/**
 * Demo invoices of the last weeks, received like real ones: from known vendors, one for an order, an invalid one, and a credit
 * note.
 */
import { Readable } from 'node:stream'
import { defineDemo } from '#kernel/demo/parts.ts'
import { asOf } from '#kernel/demo/stories.ts'
import { receiveUpload } from '#kernel/storage/uploads.ts'
import { readInvoice } from './reading/read-invoice.ts'
import { invoiceFile, takeIn } from './receiving.ts'
import { type Invoice, invoiceXml } from './samples.ts'

const COUNT = 12
/** Days between two invoices. */
const EVERY = 4

const items = {
  en: ['Paper, A4', 'Cardboard boxes', 'Cleaning of the office', 'Coffee machine, service', 'Freight'],
  de: ['Papier, A4', 'Versandkartons', 'Büroreinigung', 'Wartung der Kaffeemaschine', 'Fracht'],
}

export default defineDemo({
  after: ['vendors', 'purchase-orders', 'expenses'],
  async fill(ctx, { calendar, people, random, say }) {
    const vendors = await ctx
      .from('vendors')
      .select(['name', 'tax_id'])
      .where('deleted_at', 'is', null)
      .where('tax_id', 'is not', null)
      .orderBy('id')
      .limit(COUNT)
      .execute()
    for (const [n, { name, tax_id }] of vendors.entries()) {
      const day = calendar.days - (vendors.length - n) * EVERY - random.next()
      const at = calendar.instant(day)!
      const said: Invoice = {
        number: `R-${1041 + 13 * n}`,
        seller: name,
        vatId: `DE${tax_id!.replace(/\D/g, '')}`,
        buyer: ctx.tenant.name,
        issuedOn: calendar.date(day - 2, 0),
        dueOn: calendar.date(day - 2, 30),
        item: random.pick(say(items)),
        quantity: random.whole(1, 40),
        price: random.whole(400, 9000) / 100,
        ...(n === vendors.length - 2 ? { credit: true } : {}),
        ...(n === vendors.length - 1 ? { total: '1.00' } : {}),
      }
      const content = Buffer.from(invoiceXml(said))
      const read = await readInvoice({ content, isPdf: false })
      const file = await receiveUpload(
        ctx.services,
        ctx.tenant.id,
        { name: `${said.number}.xml`, content: Readable.from([content]) },
        invoiceFile,
      )
      if ('wrong' in read || typeof file === 'string') throw new Error(`a sample can’t be read: ${JSON.stringify([read, file])}`)
      await takeIn(asOf(ctx, at, random.pick(people)), file, read)
    }
    return vendors.length
  },
})
