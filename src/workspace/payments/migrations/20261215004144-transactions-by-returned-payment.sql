-- Outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS bank_transactions_returned ON bank_transactions (tenant_id, returned_payment_id) WHERE returned_payment_id IS NOT NULL;
