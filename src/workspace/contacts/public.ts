/** Functions about contacts for other modules. */
import type { Ctx } from '#kernel/context.ts'
import { addNote } from '#kernel/records/notes.ts'
import { contacts } from './contacts.ts'

export { contactOf } from './matching.ts'

/** Adds a note to a contact. */
export const noteOnContact = (ctx: Ctx, id: number, body: string) => addNote(ctx, contacts, id, body)
