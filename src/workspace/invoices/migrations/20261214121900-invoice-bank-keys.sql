-- An invoice as a bank's statement tells of it: its number by letters and digits alone, as payers and creditor references write it, and what is left to
-- pay, as text, because equality of numerics is no condition of an index below a policy.
ALTER TABLE invoices ADD COLUMN number_key text GENERATED ALWAYS AS (regexp_replace(upper(number), '[^A-Z0-9]', '', 'g')) STORED;
ALTER TABLE invoices ADD COLUMN balance_key text GENERATED ALWAYS AS (trim_scale(total - amount_paid - amount_credited)::text) STORED;
CREATE INDEX invoices_number_key ON invoices (tenant_id, number_key, id);
CREATE INDEX invoices_balance_key ON invoices (tenant_id, balance_key, id) WHERE status = 'unpaid';
