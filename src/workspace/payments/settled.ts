/** View of the invoices that a payment or a credit note settles, with the amounts. */
import { sql } from 'kysely'
import { z } from 'zod'
import { subjectOf } from '#kernel/modules/subjects.ts'
import type { TableName } from '#kernel/records/view.ts'
import { computed } from '#kernel/records/view.ts'
import { money, refId } from '#kernel/values/fields.ts'

/**
 * View field: all settled invoices, oldest first. `invoice` is null where the reader may not see it. `name` is the schema's id in
 * the API documents.
 */
export const settledInvoices = (name: string, { table, by }: { table: TableName; by: string }) =>
  computed(
    z.array(
      z
        .object({
          id: z.int(),
          invoice_id: refId('invoice'),
          amount: money().meta({ description: 'How much of it was used on the invoice.', examples: [20] }),
          invoice: z
            .object({
              id: z.int(),
              number: z.string(),
              title: z.string(),
              status: z.string(),
              total: money(),
              balance_due: money(),
            })
            .nullable()
            .describe('The invoice, shown in short; null: the caller may not see it.'),
        })
        .meta({ id: name }),
    ),
    ({ ctx, table: document }) => sql`(
      select coalesce(json_agg(json_build_object('id', a.id, 'invoice_id', a.invoice_id, 'amount', trim_scale(a.amount),
        'invoice', case when i.id is not null then json_build_object('id', i.id, 'number', i.number, 'title', i.title,
          'status', i.status, 'total', trim_scale(i.total), 'balance_due', trim_scale(i.balance_due)) end) order by a.id), '[]')
      from ${sql.table(table)} a left join invoices i
        on i.tenant_id = ${ctx.tenant.id} and i.id = a.invoice_id and ${subjectOf(ctx, 'invoice')?.visible(ctx, 'i') ?? sql`true`}
      where a.tenant_id = ${ctx.tenant.id} and ${sql.ref(`a.${by}`)} = ${sql.ref(`${document}.id`)})`,
  )
