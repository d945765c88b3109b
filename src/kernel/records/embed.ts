/** References that are embedded in a record: JSON made by the same query, so that a list never asks once per row. */
import { sql } from 'kysely'
import { z } from 'zod'

export const UserRef = z.object({ id: z.int(), name: z.string(), email: z.string() }).meta({ id: 'UserRef' })
export const NameRef = z.object({ id: z.int(), name: z.string() }).meta({ id: 'NameRef' })

type UserRef = z.infer<typeof UserRef>

/** `{id, name, email}` of the user that a column names, or null. */
export const userRef = (table: string, column: string) => sql<UserRef | null>`(
  select json_build_object('id', u.id, 'name', u.name, 'email', u.email) from users u
  where u.tenant_id = ${sql.ref(`${table}.tenant_id`)} and u.id = ${sql.ref(`${table}.${column}`)})`

/** `{id, name}` of the row of another table that a column names, or null. */
export const nameRef = (table: string, column: string, target: string) => sql<z.infer<typeof NameRef> | null>`(
  select json_build_object('id', x.id, 'name', x.name) from ${sql.table(target)} x
  where x.tenant_id = ${sql.ref(`${table}.tenant_id`)} and x.id = ${sql.ref(`${table}.${column}`)})`
