-- The two roles that requests take, and the functions by which a module's migration makes a workspace table.
-- Migrations run as the owner of the database; row-level security is forced, so even the owner sees no rows of a
-- workspace table: a data migration starts with SET LOCAL ROLE app_platform.

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

CREATE SCHEMA app;
COMMENT ON SCHEMA app IS 'Functions of the kernel. Those that must see past row-level security belong to app_platform.';
GRANT USAGE ON SCHEMA app, public TO app_tenant, app_platform;
GRANT CREATE ON SCHEMA app TO app_platform;

CREATE FUNCTION app.current_tenant() RETURNS bigint LANGUAGE sql STABLE AS $$
  -- '' and not null once a transaction-local setting has ended: outside a workspace nothing must match.
  SELECT nullif(current_setting('app.tenant_id', true), '')::bigint
$$;

-- STABLE like to_char itself: a stronger word would keep it from being inlined.
CREATE FUNCTION app.iso(moment timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
COMMENT ON FUNCTION app.iso IS 'An instant inside a JSON reference, written as the API writes instants.';

CREATE FUNCTION app.workspace_table(tbl regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  -- A sub-select is asked once a statement; the bare expression once a row and embedded reference.
  mine constant text := 'tenant_id = (SELECT nullif(current_setting(''app.tenant_id'', true), '''')::bigint)';
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tbl);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', tbl);
  EXECUTE format('CREATE POLICY workspace ON %s TO app_tenant USING (%s) WITH CHECK (%s)', tbl, mine, mine);
  EXECUTE format('CREATE POLICY platform ON %s TO app_platform USING (true) WITH CHECK (true)', tbl);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO app_tenant, app_platform', tbl);
END $$;
COMMENT ON FUNCTION app.workspace_table IS 'Puts a table with a tenant_id under row-level security. Every workspace table calls it once.';

CREATE FUNCTION app.platform_table(tbl regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO app_platform', tbl);
END $$;
COMMENT ON FUNCTION app.platform_table IS 'A table that only platform code may touch.';

-- Search. Substring conditions are not leakproof, so under row-level security they cannot use an index. The function made
-- here runs as app_platform, names the workspace itself, and gives only ids; the query around it still runs under the policy.
CREATE FUNCTION app.searchable(tbl regclass, columns text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text := (SELECT relname FROM pg_class WHERE oid = tbl);
  text_of text := (SELECT string_agg(format('coalesce(%I, '''')', c), ' || E''\n'' || ' ORDER BY n) FROM unnest(columns) WITH ORDINALITY AS u(c, n));
BEGIN
  EXECUTE format('ALTER TABLE %s ADD COLUMN search_text text GENERATED ALWAYS AS (lower(%s)) STORED', tbl, text_of);
  EXECUTE format('CREATE INDEX %I ON %s USING gin (tenant_id, search_text gin_trgm_ops)', name || '_search', tbl);
  EXECUTE format($f$
    CREATE FUNCTION app.%I(term text) RETURNS SETOF bigint LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $body$
    BEGIN
      IF length(term) < 3 THEN -- too short for trigrams: read the workspace's rows
        RETURN QUERY SELECT r.id FROM %s r WHERE r.tenant_id = app.current_tenant() AND position(lower(term) IN r.search_text) > 0;
      ELSE
        RETURN QUERY SELECT r.id FROM %s r WHERE r.tenant_id = app.current_tenant()
          AND r.search_text LIKE '%%' || regexp_replace(lower(term), '([\\%%_])', '\\\1', 'g') || '%%';
      END IF;
    END $body$ $f$, 'search_' || name, tbl, tbl);
  EXECUTE format('REVOKE ALL ON FUNCTION app.%I(text) FROM PUBLIC', 'search_' || name);
  EXECUTE format('GRANT EXECUTE ON FUNCTION app.%I(text) TO app_tenant, app_platform', 'search_' || name);
  EXECUTE format('ALTER FUNCTION app.%I(text) OWNER TO app_platform', 'search_' || name);
END $$;
COMMENT ON FUNCTION app.searchable IS 'Gives a table substring search over the named columns: app.search_<table>(term).';

-- Tallies: how many rows a table holds by status, assignee and trash, so that a list's total costs the same at a thousand
-- rows and at a million. Writers only append differences (no row that everybody locks); about one write in fifty sums them up.
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

CREATE FUNCTION app.sum_tallies(tbl text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF random() < 0.02 AND app.current_tenant() IS NOT NULL
     AND pg_try_advisory_xact_lock(hashtextextended('tally ' || tbl, app.current_tenant())) THEN
    WITH gone AS (
      DELETE FROM record_tallies WHERE tenant_id = app.current_tenant() AND kind = tbl RETURNING *
    )
    INSERT INTO record_tallies (tenant_id, kind, status, assigned_to, trashed, n)
    SELECT tenant_id, kind, status, assigned_to, trashed, sum(n) FROM gone GROUP BY 1, 2, 3, 4, 5 HAVING sum(n) <> 0;
  END IF;
END $$;

-- Each table has a trigger function of its own, written out, so that its plans are kept.
CREATE FUNCTION app.tallied(tbl regclass, status text DEFAULT 'NULL::text', assigned_to text DEFAULT 'NULL::bigint', trashed text DEFAULT 'deleted_at IS NOT NULL')
RETURNS void LANGUAGE plpgsql AS $$
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
      PERFORM app.sum_tallies(%L);
      RETURN NULL;
    END $body$ $f$, 'tally_' || name, format(append, added), format(append, taken), format(append, added || ' UNION ALL ' || taken), name);
  EXECUTE format('CREATE TRIGGER tally_insert AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION app.%I()', tbl, 'tally_' || name);
  EXECUTE format('CREATE TRIGGER tally_update AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION app.%I()', tbl, 'tally_' || name);
  EXECUTE format('CREATE TRIGGER tally_delete AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION app.%I()', tbl, 'tally_' || name);
END $$;
COMMENT ON FUNCTION app.tallied IS 'Keeps record_tallies for a table; the arguments are SQL expressions over its row.';
