-- Outside a transaction
-- Links are kept to a range of when they end, as a month of them shows. A counted click doesn't write it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS short_links_expires ON short_links (tenant_id, expires_at, id) WHERE deleted_at IS NULL;
