-- Behind the column: its owner replaces it.
DO $$
BEGIN
  PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
  GRANT CREATE ON SCHEMA app TO app_platform;
  PERFORM set_config('role', 'app_platform', true);
  CREATE OR REPLACE FUNCTION app.key_facts(key bigint) RETURNS json LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $facts$
    SELECT json_build_object('scopes', scopes, 'former_hash', encode(former_hash, 'hex'), 'former_expires_at', app.iso(former_expires_at),
      'older_hash', encode(older_hash, 'hex'), 'older_expires_at', app.iso(older_expires_at),
      'suspended_at', app.iso(suspended_at), 'allowed_networks', allowed_networks, 'known_networks', known_networks) FROM api_keys WHERE id = key
  $facts$;
  PERFORM set_config('role', 'none', true);
  REVOKE CREATE ON SCHEMA app FROM app_platform;
  PERFORM set_config('citus.enable_ddl_propagation', 'on', true);
END $$;
