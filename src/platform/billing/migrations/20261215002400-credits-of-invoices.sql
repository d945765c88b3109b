-- The invoice that billed the days which weren't used: revenue is without them. Null: what was paid twice, and credits from before.
ALTER TABLE ledger_credits ADD COLUMN invoice_id bigint;
