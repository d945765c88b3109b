/** Demo credits on invoices that are still open: a tenth of the balance due, most of it already applied. */
import { sql } from 'kysely'
import { defineDemo } from '#kernel/demo/parts.ts'
import { insertTimeline, takeNumbers } from '#kernel/demo/stories.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import { decimal, roundTo } from '#kernel/values/money.ts'
import { computeTotals } from '#workspace/billing-documents/public.ts'
import { fillIssued } from '#workspace/issued-documents/demo.ts'
import { issuableCreditNote } from './pdf.ts'

const occasions = {
  en: ['Goods came damaged', 'Two boxes were missing', 'Price agreed afterwards', 'Late delivery', 'Returned goods'],
  de: ['Ware beschädigt', 'Zwei Tüten fehlten', 'Preis nachträglich vereinbart', 'Verspätete Lieferung', 'Rücksendung'],
}

export default defineDemo({
  async fill(ctx, plan) {
    const { random, calendar, people } = plan
    const open = await ctx
      .from('invoices')
      .select(['id', 'number', 'contact_id', 'company_id', 'currency', 'balance_due', 'updated_at'])
      .where('status', '=', 'unpaid')
      .where('deleted_at', 'is', null)
      .orderBy('updated_at')
      .orderBy('id')
      .limit(plan.share(1 / 20, { least: 6, most: 5000 }))
      .execute()
    const prefix = await ctx.setting('credit_notes_number_prefix')
    const tax_rounding = await ctx.setting('tax_rounding')
    const drawn = open.flatMap(({ number, balance_due, currency, contact_id, company_id, ...invoice }) => {
      const credit = roundTo(currency, decimal(balance_due).div(10)).toFixed()
      const at = calendar.instant(calendar.dayOf(invoice.updated_at) + random.between(0.5, 5))
      if (!at || decimal(credit).eq(0)) return []
      const wanted = [
        {
          name: `${plan.say({ en: 'Credit for', de: 'Korrektur zu' })} ${number}`,
          quantity: '1',
          unit_price: credit,
          tax_rate: '0',
        },
      ]
      const { lines, totals } = computeTotals(wanted, { currency, tax_rounding })
      const isApplied = random.happens(0.7)
      const note = {
        ...{ contact_id, company_id, currency, tax_rounding, corrects_invoice_id: invoice.id, ...totals },
        title: random.pick(plan.say(occasions)),
        status: 'issued' as const,
        issue_date: at.slice(0, 10),
        amount_applied: isApplied ? credit : '0',
        created_by: random.pick(people).id,
        created_at: at,
        updated_at: at,
        revision: isApplied ? 3 : 2,
      }
      return [{ note, line: lines[0]!, isApplied, number, invoice_id: invoice.id, credit }]
    })
    const first = await takeNumbers(ctx, 'credit_notes', drawn.length)
    const notes = drawn.map(({ note }, n) => ({ ...note, number: `${prefix}${String(first + n).padStart(5, '0')}` }))
    const ids = await insertRows(ctx, 'credit_notes', notes)
    const lines = drawn.map(({ line }, n) => ({ ...line, credit_note_id: ids[n]!, discount_value: '0', sort_order: 0 }))
    await insertRows(ctx, 'credit_note_lines', lines)
    const applied = drawn.flatMap(({ isApplied, ...one }, n) => (isApplied ? [{ ...one, id: ids[n]! }] : []))
    const applications = applied.map(({ id, invoice_id, credit }) => ({ credit_note_id: id, invoice_id, amount: credit }))
    await insertRows(ctx, 'credit_note_applications', applications)
    await sql`
      update invoices i set amount_credited = given.amount
      from jsonb_to_recordset(${JSON.stringify(applications)}::jsonb) as given (invoice_id bigint, amount numeric)
      where i.tenant_id = ${ctx.tenant.id} and i.id = given.invoice_id`.execute(ctx.tx)
    const told = drawn.flatMap(({ note: { created_at: at, created_by: by }, isApplied, invoice_id, number, credit, note }, n) => {
      const given = { invoice_id, number, amount: credit, currency: note.currency }
      const issued = { type: 'status_changed', properties: { from: 'draft', to: 'issued' } }
      const story = [{ type: 'created' }, issued, ...(isApplied ? [{ type: 'applied', properties: given }] : [])]
      return story.map((entry) => ({ ...entry, at, by, id: ids[n]! }))
    })
    await insertTimeline(ctx, 'credit_notes', told)
    await fillIssued(ctx, issuableCreditNote, sql`status <> 'draft'`)
    return drawn.length
  },
})
