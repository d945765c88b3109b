-- What kept the directory before, and belongs to app_platform.
DO $$ BEGIN
  -- On a cluster of this machine alone, because app_platform may not log in to the others yet; there nothing calls it.
  PERFORM set_config('role', 'app_platform', true), set_config('citus.enable_ddl_propagation', 'off', true);
  DROP FUNCTION app.keep_sign_in_directory();
  PERFORM set_config('role', 'none', true), set_config('citus.enable_ddl_propagation', 'on', true);
END $$;
