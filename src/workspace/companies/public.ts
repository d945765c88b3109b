/** What other modules may ask of companies. */
import type { Ctx } from '#kernel/context.ts'

export { companyNamed } from './matching.ts'

/** The company that a document already names, for printing and mailing: it may have been deleted since. */
export const companyEvenDeleted = (ctx: Ctx, id: number) =>
  ctx.tx
    .selectFrom('companies')
    .select(['id', 'name', 'email', 'phone', 'address', 'tax_id'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
