-- What other systems call a record: one name for one record of a workspace that isn't deleted. Every table of records has it.
CREATE FUNCTION app.externally_identified(tbl regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text := (SELECT relname FROM pg_class WHERE oid = tbl);
BEGIN
  EXECUTE format('ALTER TABLE %s ADD COLUMN IF NOT EXISTS external_id text', tbl);
  EXECUTE format('ALTER TABLE %s ADD CHECK (length(external_id) BETWEEN 1 AND 255)', tbl);
  EXECUTE format('CREATE UNIQUE INDEX %I ON %s (tenant_id, external_id) WHERE deleted_at IS NULL AND external_id IS NOT NULL', name || '_external_id', tbl);
END $$;
COMMENT ON FUNCTION app.externally_identified IS 'Gives a table of records its external_id. app.workspace_table calls it where there is a revision and a trash.';

CREATE OR REPLACE FUNCTION app.workspace_table(tbl regclass, layout text DEFAULT 'distributed') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  -- No sub-select, which Citus refuses. Where a query names the workspace as a value, this is asked once.
  mine constant text := 'tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::bigint';
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tbl);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', tbl);
  EXECUTE format('CREATE POLICY workspace ON %s TO app_tenant USING (%s) WITH CHECK (%s)', tbl, mine, mine);
  EXECUTE format('CREATE POLICY platform ON %s TO app_platform USING (true) WITH CHECK (true)', tbl);
  -- A prepared plan doesn't know the workspace and takes it for an average one. Said to be few, workspaces are taken for large ones: what is right for
  -- these (an index in the order of the list, each referred row by its key) costs small ones nothing. See docs/decisions/0017.
  EXECUTE format('ALTER TABLE %s ALTER COLUMN tenant_id SET (n_distinct = 50)', tbl);
  PERFORM app.grant_rows(tbl, 'app_tenant, app_platform'), app.lay_out(tbl, layout);
  IF (SELECT count(*) FROM pg_attribute WHERE attrelid = tbl AND attname IN ('id', 'revision', 'deleted_at')) = 3 THEN
    PERFORM app.externally_identified(tbl);
  END IF;
END $$;

SELECT app.externally_identified(c.oid)
FROM table_layouts l JOIN pg_class c ON c.relname = l.name AND c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
WHERE (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname IN ('tenant_id', 'id', 'revision', 'deleted_at')) = 4;
