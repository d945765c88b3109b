/** What other modules may ask of contacts. */
import type { Ctx } from '#kernel/context.ts'
import { addNote } from '#kernel/records/notes.ts'
import { contacts } from './contacts.ts'

export { contactOf } from './matching.ts'

/** A note on a contact. */
export const noteOnContact = (ctx: Ctx, id: number, body: string) => addNote(ctx, contacts, id, body)
