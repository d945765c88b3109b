/** What other modules may ask of contacts. */
import type { Ctx } from '#kernel/context.ts'

/** The contact that a document already names, for printing and mailing: it may have been deleted since. */
export const contactEvenDeleted = (ctx: Ctx, id: number) =>
  ctx.tx
    .selectFrom('contacts')
    .select(['id', 'name', 'email', 'phone', 'company', 'address', 'tax_id'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
