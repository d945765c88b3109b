/** Net and tax of a document by rate. */
import { sql } from 'kysely'
import { z } from 'zod'
import { computed } from '#kernel/records/view.ts'
import { exact, money } from '#kernel/values/fields.ts'
import type { LineTable } from './lines.ts'

export const TaxShare = z
  .object({
    tax_rate: exact('percentage'),
    net: money().meta({ description: 'What the lines of this rate come to, after discounts.' }),
    tax: money().meta({ description: 'The tax of these lines.', examples: [9.31] }),
  })
  .meta({ id: 'TaxShare' })
export type TaxShare = z.output<typeof TaxShare>

/**
 * Field of a detail view: net and tax by rate, lowest first. Stored amounts of the lines are added up, so that the sums exactly
 * equal the document's totals, whatever its tax rounding.
 */
export const taxBreakdown = ({ table, by }: LineTable) =>
  computed(
    z.array(TaxShare),
    ({ ctx, table: document }) => sql`(
      select coalesce(json_agg(json_build_object('tax_rate', trim_scale(s.tax_rate), 'net', trim_scale(s.net), 'tax', trim_scale(s.tax)) order by s.tax_rate), '[]')
      from (
        select l.tax_rate, sum(l.net) as net, sum(l.tax) as tax from ${sql.table(table)} l
        where l.tenant_id = ${ctx.tenant.id} and ${sql.ref(`l.${by}`)} = ${sql.ref(`${document}.id`)} group by l.tax_rate
      ) s)`,
  )
