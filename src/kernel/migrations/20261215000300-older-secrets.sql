-- Whoever rotates twice within the overlap has promised it to two former secrets.
ALTER TABLE api_keys ADD COLUMN older_hash bytea; -- of the secret before the former one
ALTER TABLE api_keys ADD COLUMN older_expires_at timestamptz;
ALTER TABLE webhook_endpoints ADD COLUMN older_secret bytea;
ALTER TABLE webhook_endpoints ADD COLUMN older_secret_until timestamptz;
