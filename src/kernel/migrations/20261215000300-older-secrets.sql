-- Whoever rotates twice within the overlap has promised it to two former secrets.
ALTER TABLE api_keys ADD COLUMN older_hash bytea; -- of the secret before the former one
ALTER TABLE api_keys ADD COLUMN older_expires_at timestamptz;
ALTER TABLE webhook_endpoints ADD COLUMN older_secret bytea;
ALTER TABLE webhook_endpoints ADD COLUMN older_secret_until timestamptz;

GRANT CREATE ON SCHEMA app TO app_platform;
SET LOCAL ROLE app_platform;
CREATE OR REPLACE FUNCTION app.key_facts(key bigint) RETURNS json LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT json_build_object('scopes', scopes, 'former_hash', encode(former_hash, 'hex'), 'former_expires_at', app.iso(former_expires_at),
    'older_hash', encode(older_hash, 'hex'), 'older_expires_at', app.iso(older_expires_at),
    'allowed_networks', allowed_networks, 'known_networks', known_networks) FROM api_keys WHERE id = key
$$;
RESET ROLE;
REVOKE CREATE ON SCHEMA app FROM app_platform;
