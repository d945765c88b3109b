/** Projects for other modules. */
import { z } from 'zod'
import { recordRef } from '#kernel/records/embed.ts'
import { choice } from '#kernel/values/fields.ts'
import { lifecycle } from './lifecycle.ts'

/** View field: `{id, uuid, title, status}` of the project that a column refers to (PRJ-14). */
export const projectRef = <const Column extends string>(column: Column) =>
  recordRef(column, 'project', { id: z.int(), uuid: z.uuid(), title: z.string(), status: choice(lifecycle.states) })
