-- Outside a transaction
-- The payment that a return takes back, by the payer's reference.
CREATE INDEX CONCURRENTLY IF NOT EXISTS bank_transactions_end_to_end ON bank_transactions (tenant_id, end_to_end_id, id) WHERE payment_id IS NOT NULL;
