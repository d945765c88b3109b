/** A database that refuses some rows for a while, as a defect does that always comes back. */
import type { World } from './harness.ts'

interface Refused {
  event: 'INSERT' | 'UPDATE'
  table: string
  /** Which rows, as a condition of SQL on `NEW`. */
  when: string
}

/** Does something while such rows are refused, and answers what it does. */
export async function refusing<T>(
  { sql }: Pick<World, 'sql'>,
  { event, table, when }: Refused,
  during: () => Promise<T>,
): Promise<T> {
  await sql(
    `CREATE FUNCTION app.refuses() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '22000'; END $$`,
  )
  await sql(`CREATE TRIGGER refuses BEFORE ${event} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION app.refuses()`)
  try {
    return await during()
  } finally {
    await sql('DROP FUNCTION app.refuses CASCADE')
  }
}
