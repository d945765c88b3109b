-- A search that has found as many as it may in a table's own words doesn't look through what the table refers to: that was read whole, to find
-- nothing that would be given.
CREATE OR REPLACE FUNCTION app.searchable(tbl regclass, columns text[], through jsonb DEFAULT '{}') RETURNS void LANGUAGE plpgsql AS $$
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
      IF levels > 0 AND given < coalesce(most, given + 1) THEN
        referred := ARRAY(SELECT app.%I(term, NULL, levels - 1));
        RETURN QUERY SELECT r.id FROM %s r WHERE r.tenant_id = workspace AND r.%I = ANY (referred) LIMIT most;
        GET DIAGNOSTICS given = ROW_COUNT;
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
      given bigint;
    BEGIN
      -- A term of one or two characters has no trigrams: the workspace's rows are read.
      RETURN QUERY SELECT r.id FROM %s r WHERE r.tenant_id = workspace AND r.search_text LIKE pattern LIMIT most;
      GET DIAGNOSTICS given = ROW_COUNT;%s
    END $body$ $f$, replace(signature, '(text, integer, integer)', '(term text, most integer DEFAULT NULL, levels integer DEFAULT 2)'), tbl, by_reference);
  EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO app_tenant', signature);
  PERFORM app.belongs_to_platform(signature::regprocedure);
END $$;

-- For the next migration, which replaces those that there are by now: only their owner may, where it may make functions.
GRANT CREATE ON SCHEMA app TO app_platform;
