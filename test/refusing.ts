/** Makes the database reject some rows temporarily, as a persistent defect would. */
import type { World } from './harness.ts'

interface Refused {
  event: 'INSERT' | 'UPDATE'
  table: string
  /** SQL condition on `NEW` that selects the rows. */
  when: string
}

/** Runs work while such rows are rejected, and returns its result. */
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
