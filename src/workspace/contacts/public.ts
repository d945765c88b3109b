/** What other modules may ask of contacts. */
import type { Ctx } from '#kernel/context.ts'
import { addNote } from '#kernel/records/notes.ts'
import { contacts } from './contacts.ts'

export { contactOf } from './matching.ts'

/** The contact that a document already names, for printing and mailing: it may have been deleted since. */
export const contactEvenDeleted = (ctx: Ctx, id: number) =>
  ctx.tx
    .selectFrom('contacts')
    .select(['id', 'name', 'email', 'phone', 'company', 'address', 'tax_id'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** A note on a contact. */
export const noteOnContact = (ctx: Ctx, id: number, body: string) => addNote(ctx, contacts, id, body)
