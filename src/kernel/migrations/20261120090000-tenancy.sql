-- The two roles that requests take, and the functions by which a module's migration makes a workspace table.
-- Migrations run as the owner of the database; row-level security is forced, so even the owner sees no rows of a
-- workspace table: a migration that changes data starts with SET LOCAL ROLE app_platform, and changes no schema.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- Roles belong to the whole server: another database of the same server may have made them, or be making them right now.
DO $$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['app_tenant', 'app_platform'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END;
    END IF;
    -- Without INHERIT FALSE the login role would fall under the platform's policy before it takes any role.
    IF NOT pg_has_role(current_user, role_name, 'MEMBER') OR current_setting('is_superuser') = 'on' THEN
      IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE format('GRANT %I TO CURRENT_USER WITH INHERIT FALSE, SET TRUE', role_name);
      ELSE
        EXECUTE format('GRANT %I TO CURRENT_USER', role_name);
      END IF;
    ELSIF current_setting('server_version_num')::int >= 160000 THEN
      EXECUTE format('GRANT %I TO CURRENT_USER WITH INHERIT FALSE, SET TRUE', role_name);
    END IF;
  END LOOP;
END $$;

-- What follows is closed until it is granted: functions to everybody, making tables to the two roles.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
CREATE SCHEMA app;
COMMENT ON SCHEMA app IS 'Functions of the kernel. Those that must see past row-level security belong to app_platform.';
GRANT USAGE ON SCHEMA app, public TO app_tenant, app_platform;

CREATE FUNCTION app.current_tenant() RETURNS bigint LANGUAGE sql STABLE AS $$
  -- '' and not null once a transaction-local setting has ended: outside a workspace nothing must match.
  SELECT nullif(current_setting('app.tenant_id', true), '')::bigint
$$;
GRANT EXECUTE ON FUNCTION app.current_tenant() TO app_tenant, app_platform;

-- STABLE like to_char itself: a stronger word would keep it from being inlined.
CREATE FUNCTION app.iso(moment timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
COMMENT ON FUNCTION app.iso IS 'An instant inside a JSON reference, written as the API writes instants.';
GRANT EXECUTE ON FUNCTION app.iso(timestamptz) TO app_tenant, app_platform;

CREATE FUNCTION app.belongs_to_platform(fn regprocedure) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  GRANT CREATE ON SCHEMA app TO app_platform; -- an owner needs it for the moment in which it becomes the owner
  EXECUTE format('ALTER FUNCTION %s OWNER TO app_platform', fn);
  REVOKE CREATE ON SCHEMA app FROM app_platform;
END $$;
COMMENT ON FUNCTION app.belongs_to_platform IS 'Gives a SECURITY DEFINER function the rights of app_platform. Grants and triggers come first: the login role may not make them afterwards.';

-- Where a table's rows are on a cluster (docs/scaling.md): the function that each migration calls for its table says it.
CREATE TABLE table_layouts (
  name text PRIMARY KEY,
  layout text NOT NULL CHECK (layout IN ('distributed', 'reference', 'citus_local', 'local'))
);

CREATE FUNCTION app.lay_out(tbl regclass, layout text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO table_layouts (name, layout) SELECT relname, layout FROM pg_class WHERE oid = tbl
$$;

CREATE FUNCTION app.grant_rows(tbl regclass, roles text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  seq text;
BEGIN
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %s', tbl, roles);
  FOR seq IN SELECT pg_get_serial_sequence(tbl::text, attname) FROM pg_attribute WHERE attrelid = tbl AND attidentity <> '' LOOP
    EXECUTE format('GRANT USAGE ON SEQUENCE %s TO %s', seq, roles); -- Citus takes the next number as the caller
  END LOOP;
END $$;

CREATE FUNCTION app.workspace_table(tbl regclass, layout text DEFAULT 'distributed') RETURNS void LANGUAGE plpgsql AS $$
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
END $$;
COMMENT ON FUNCTION app.workspace_table IS 'Puts a table with a tenant_id under row-level security. Every workspace table calls it once.';

CREATE FUNCTION app.platform_table(tbl regclass, layout text DEFAULT 'reference') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM app.grant_rows(tbl, 'app_platform'), app.lay_out(tbl, layout);
END $$;
COMMENT ON FUNCTION app.platform_table IS 'A table that only platform code may touch; copied to every machine of a cluster, unless it says otherwise.';

CREATE FUNCTION app.local_table(tbl regclass) RETURNS void LANGUAGE sql AS $$
  SELECT app.lay_out(tbl, 'local')
$$;
COMMENT ON FUNCTION app.local_table IS 'A table that only the login role may touch; it stays on the machine that is connected to.';
SELECT app.local_table('table_layouts'), app.local_table('schema_migrations');

-- Search. Substring conditions are not leakproof, so under row-level security they cannot use an index. The function made
-- here runs as app_platform, names the workspace itself, and gives only ids; the query around it still runs under the policy.
-- An id may come twice. Of each way to find rows `most` are given at most; NULL: all.
CREATE FUNCTION app.containing(term text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT '%' || regexp_replace(lower(term), '([\\%_])', '\\\1', 'g') || '%'
$$;
COMMENT ON FUNCTION app.containing IS 'The LIKE pattern of a search_text that contains a term.';
GRANT EXECUTE ON FUNCTION app.containing(text) TO app_tenant, app_platform;

CREATE FUNCTION app.searchable(tbl regclass, columns text[], through jsonb DEFAULT '{}') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text := (SELECT relname FROM pg_class WHERE oid = tbl);
  text_of text := (SELECT string_agg(format('coalesce(%I, '''')', c), ' || E''\n'' || ' ORDER BY n) FROM unnest(columns) WITH ORDINALITY AS u(c, n));
  signature text := format('app.%I(text, integer, integer)', 'search_' || name);
  by_reference text := '';
  reference record;
BEGIN
  FOR reference IN SELECT * FROM jsonb_each_text(through) AS r (col, target) LOOP
    IF NOT EXISTS (SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = tbl AND a.attnum = i.indkey[1] WHERE i.indrelid = tbl AND a.attname = reference.col) THEN
      RAISE 'Search through %.% needs an index on (tenant_id, %)', name, reference.col, reference.col;
    END IF;
    PERFORM format('app.%I(text, integer, integer)', 'search_' || reference.target)::regprocedure; -- or the target isn't searchable
    by_reference := by_reference || format($f$
      IF levels > 0 THEN
        referred := ARRAY(SELECT app.%I(term, NULL, levels - 1));
        RETURN QUERY SELECT r.id FROM %s r WHERE r.tenant_id = workspace AND r.%I = ANY (referred) LIMIT most;
      END IF;$f$, 'search_' || reference.target, tbl, reference.col);
  END LOOP;
  EXECUTE format('ALTER TABLE %s ADD COLUMN search_text text GENERATED ALWAYS AS (lower(%s)) STORED', tbl, text_of);
  EXECUTE format('CREATE INDEX %I ON %s USING gin (tenant_id, search_text gin_trgm_ops)', name || '_search', tbl);
  EXECUTE format($f$
    CREATE FUNCTION %s RETURNS SETOF bigint LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $body$
    DECLARE
      workspace constant bigint := app.current_tenant();
      pattern constant text := app.containing(term);
      referred bigint[];
    BEGIN
      -- A term of one or two characters has no trigrams: the workspace's rows are read.
      RETURN QUERY SELECT r.id FROM %s r WHERE r.tenant_id = workspace AND r.search_text LIKE pattern LIMIT most;%s
    END $body$ $f$, replace(signature, '(text, integer, integer)', '(term text, most integer DEFAULT NULL, levels integer DEFAULT 2)'), tbl, by_reference);
  EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO app_tenant', signature);
  PERFORM app.belongs_to_platform(signature::regprocedure);
END $$;
COMMENT ON FUNCTION app.searchable IS 'Gives a table substring search over the named columns: app.search_<table>(term). `through` names references whose own search counts too, {"vendor_id": "vendors"}, and theirs in turn: two levels.';

-- Tallies: how many rows a table holds by status, assignee and trash, so that a list's total costs the same at a thousand
-- rows and at a million. Writers only append differences (no row that everybody locks); about one write in ten sums them up.
CREATE TABLE record_tallies (
  tenant_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  status text,
  assigned_to bigint,
  trashed boolean NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (tenant_id, id)
);
CREATE INDEX record_tallies_kind ON record_tallies (tenant_id, kind);
SELECT app.workspace_table('record_tallies');

-- Written so that it runs in the triggers of a distributed table: the workspace in a variable, rows deleted by id, values inserted.
CREATE FUNCTION app.sum_tallies(tbl text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  workspace constant bigint := app.current_tenant();
  t record;
BEGIN
  IF workspace IS NULL OR NOT pg_try_advisory_xact_lock(hashtextextended('tally ' || tbl, workspace)) THEN RETURN; END IF;
  FOR t IN
    SELECT status, assigned_to, trashed, sum(n) AS n, array_agg(id) AS ids FROM record_tallies
    WHERE tenant_id = workspace AND kind = tbl GROUP BY 1, 2, 3 HAVING count(*) > 1 OR sum(n) = 0
  LOOP
    DELETE FROM record_tallies WHERE tenant_id = workspace AND id = ANY (t.ids);
    IF t.n <> 0 THEN
      INSERT INTO record_tallies (tenant_id, kind, status, assigned_to, trashed, n) VALUES (workspace, tbl, t.status, t.assigned_to, t.trashed, t.n);
    END IF;
  END LOOP;
END $$;
COMMENT ON FUNCTION app.sum_tallies IS 'Sums the tallies of a table in the current workspace, unless somebody else does.';
GRANT EXECUTE ON FUNCTION app.sum_tallies(text) TO app_tenant, app_platform;

-- Each table has a trigger function of its own, written out, so that its plans are kept. By statement: one insert for many rows.
CREATE FUNCTION app.tallied_by_statement(tbl regclass, status text, assigned_to text, trashed text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text := (SELECT relname FROM pg_class WHERE oid = tbl);
  dims text := format('tenant_id, %s AS status, %s AS assigned_to, %s AS trashed', status, assigned_to, trashed);
  append text := format('INSERT INTO record_tallies (tenant_id, kind, status, assigned_to, trashed, n)
      SELECT tenant_id, %L, status, assigned_to, trashed, sum(d) FROM (%%s) x GROUP BY 1, 3, 4, 5 HAVING sum(d) <> 0', name);
  added text := format('SELECT %s, 1 AS d FROM new_rows', dims);
  taken text := format('SELECT %s, -1 AS d FROM old_rows', dims);
BEGIN
  EXECUTE format($f$
    CREATE FUNCTION app.%I() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      IF TG_OP = 'INSERT' THEN %s;
      ELSIF TG_OP = 'DELETE' THEN %s;
      ELSE %s;
      END IF;
      IF random() < 0.1 THEN PERFORM app.sum_tallies(%L); END IF;
      RETURN NULL;
    END $body$ $f$, 'tally_' || name, format(append, added), format(append, taken), format(append, added || ' UNION ALL ' || taken), name);
  EXECUTE format('CREATE TRIGGER tally_insert AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION app.%I()', tbl, 'tally_' || name);
  EXECUTE format('CREATE TRIGGER tally_update AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION app.%I()', tbl, 'tally_' || name);
  EXECUTE format('CREATE TRIGGER tally_delete AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION app.%I()', tbl, 'tally_' || name);
END $$;

-- By row: Citus has no transition tables.
CREATE FUNCTION app.tallied_by_row(tbl regclass, status text, assigned_to text, trashed text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text := (SELECT relname FROM pg_class WHERE oid = tbl);
  dims text := format('SELECT %s AS status, %s AS assigned_to, %s AS trashed', status, assigned_to, trashed);
  append text := format('INSERT INTO record_tallies (tenant_id, kind, status, assigned_to, trashed, n) VALUES (%%s.tenant_id, %L, %%s.status, %%s.assigned_to, %%s.trashed, %%s)', name);
BEGIN
  EXECUTE format($f$
    CREATE FUNCTION app.%I() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE
      added record;
      taken record;
    BEGIN
      IF TG_OP <> 'DELETE' THEN %s INTO added FROM (SELECT NEW.*) r; END IF;
      IF TG_OP <> 'INSERT' THEN %s INTO taken FROM (SELECT OLD.*) r; END IF;
      IF TG_OP = 'UPDATE' AND added IS NOT DISTINCT FROM taken THEN RETURN NULL; END IF;
      IF TG_OP <> 'DELETE' THEN %s; END IF;
      IF TG_OP <> 'INSERT' THEN %s; END IF;
      IF random() < 0.1 THEN PERFORM app.sum_tallies(%L); END IF;
      RETURN NULL;
    END $body$ $f$, 'tally_' || name, dims, dims, format(append, 'NEW', 'added', 'added', 'added', 1), format(append, 'OLD', 'taken', 'taken', 'taken', -1), name);
  EXECUTE format('CREATE TRIGGER tally AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION app.%I()', tbl, 'tally_' || name);
END $$;

CREATE FUNCTION app.tallied(tbl regclass, status text DEFAULT 'NULL::text', assigned_to text DEFAULT 'NULL::bigint', trashed text DEFAULT 'deleted_at IS NOT NULL')
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    PERFORM app.tallied_by_row(tbl, status, assigned_to, trashed);
  ELSE
    PERFORM app.tallied_by_statement(tbl, status, assigned_to, trashed);
  END IF;
END $$;
COMMENT ON FUNCTION app.tallied IS 'Keeps record_tallies for a table; the arguments are SQL expressions over its row.';
