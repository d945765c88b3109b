-- Outside a transaction
-- Returns whose payment isn't found yet.
CREATE INDEX CONCURRENTLY IF NOT EXISTS bank_transactions_returns ON bank_transactions (tenant_id, currency, id) WHERE is_reversal AND returned_payment_id IS NULL;
