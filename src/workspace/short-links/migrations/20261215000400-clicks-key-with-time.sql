-- Outside a transaction
-- The key of a table that is divided by time has the time in it.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS short_link_clicks_key ON short_link_clicks (tenant_id, link_id, id, clicked_at);
