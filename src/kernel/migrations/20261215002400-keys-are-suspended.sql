-- A password that was set without the former one suspends its owner's API keys, as it does passkeys.
ALTER TABLE api_keys ADD COLUMN suspended_at timestamptz; -- opens nothing until its owner confirms it
ALTER TABLE api_keys ADD COLUMN rotated_at timestamptz; -- when it got its present secret, unless that is its first
-- What a process remembers of a key ends with its suspension. The function is the platform's: it is lent for a moment.
DO $$ BEGIN
  PERFORM set_config('role', 'app_platform', true), set_config('citus.enable_ddl_propagation', 'off', true);
  EXECUTE format('GRANT EXECUTE ON FUNCTION app.bump_access_revision() TO %I', session_user);
  PERFORM set_config('role', 'none', true), set_config('citus.enable_ddl_propagation', 'on', true);
END $$;
CREATE TRIGGER access_revision_suspended AFTER UPDATE OF suspended_at ON api_keys
  FOR EACH ROW WHEN (NEW.tenant_id IS NOT NULL) EXECUTE FUNCTION app.bump_access_revision();
DO $$ BEGIN
  PERFORM set_config('role', 'app_platform', true), set_config('citus.enable_ddl_propagation', 'off', true);
  EXECUTE format('REVOKE EXECUTE ON FUNCTION app.bump_access_revision() FROM %I', session_user);
  PERFORM set_config('role', 'none', true), set_config('citus.enable_ddl_propagation', 'on', true);
END $$;
