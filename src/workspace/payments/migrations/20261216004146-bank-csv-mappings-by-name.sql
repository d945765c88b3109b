-- Outside a transaction
-- The order of their list.
CREATE INDEX CONCURRENTLY IF NOT EXISTS bank_csv_mappings_by_name ON bank_csv_mappings (tenant_id, name, id);
