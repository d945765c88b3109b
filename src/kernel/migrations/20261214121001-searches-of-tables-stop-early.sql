SET LOCAL ROLE app_platform;

-- The searches that there are by now stop as app.searchable has new ones do.
DO $$
DECLARE
  searches regprocedure;
BEGIN
  FOR searches IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = 'app'::regnamespace AND p.proname LIKE 'search\_%' AND p.prosrc LIKE '%referred := ARRAY%' LOOP
    EXECUTE replace(replace(replace(pg_get_functiondef(searches),
      'referred bigint[];', E'referred bigint[];\n      given bigint;'),
      'LIMIT most;', E'LIMIT most;\n      GET DIAGNOSTICS given = ROW_COUNT;'),
      'IF levels > 0 THEN', 'IF levels > 0 AND given < coalesce(most, given + 1) THEN');
  END LOOP;
END $$;
RESET ROLE;
