/**
 * Detects saved records without an event, which readers of the feed would miss. Checked in the database at each commit,
 * independent of the code that saved the record.
 */
import { resources } from '#kernel/records/resource.ts'
import type { World } from './harness.ts'

/** Starts detection. The routes of all modules must be loaded. */
export async function watchSaves(world: Pick<World, 'sql'>) {
  await world.sql('CREATE TABLE untold_saves (kind text NOT NULL, id bigint NOT NULL, changed jsonb NOT NULL)')
  await world.sql(`
    CREATE FUNCTION note_untold() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
    DECLARE is_there boolean;
    BEGIN
      IF NEW.revision = OLD.revision AND NEW.updated_at = OLD.updated_at THEN RETURN NULL; END IF;
      IF EXISTS (
        SELECT FROM activities WHERE tenant_id = NEW.tenant_id AND subject_type = TG_TABLE_NAME AND subject_id = NEW.id AND created_at = NEW.updated_at
      ) THEN RETURN NULL; END IF;
      EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE tenant_id = $1 AND id = $2)', TG_TABLE_NAME) INTO is_there USING NEW.tenant_id, NEW.id;
      IF is_there THEN
        INSERT INTO untold_saves
        SELECT TG_TABLE_NAME, NEW.id, jsonb_object_agg(key, value) FROM jsonb_each(to_jsonb(NEW)) WHERE to_jsonb(OLD) -> key IS DISTINCT FROM value;
      END IF;
      RETURN NULL;
    END $$`)
  for (const table of new Set(resources.map((of) => of.table)))
    await world.sql(`
      CREATE CONSTRAINT TRIGGER untold AFTER UPDATE ON ${table} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_untold()`)
}

/** Returns the detected saves as distinct sets of changed columns. */
export async function untoldSaves(world: Pick<World, 'sql'>): Promise<string[]> {
  const rows = await world.sql(`
    SELECT DISTINCT kind, (SELECT string_agg(key, ', ' ORDER BY key) FROM jsonb_object_keys(changed) key WHERE key NOT IN ('revision', 'updated_at')) AS columns
    FROM untold_saves ORDER BY 1, 2`)
  return rows.map(({ kind, columns }) => `${kind}: ${columns ?? 'only its revision'}`)
}
