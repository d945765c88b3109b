-- Of the service account as which an account of the platform works in the workspace: that account's id.
ALTER TABLE users ADD COLUMN platform_user_id bigint;
ALTER TABLE users ADD CONSTRAINT users_platform_user_is_service CHECK (platform_user_id IS NULL OR is_service);
CREATE UNIQUE INDEX users_platform_user ON users (tenant_id, platform_user_id) WHERE platform_user_id IS NOT NULL;
