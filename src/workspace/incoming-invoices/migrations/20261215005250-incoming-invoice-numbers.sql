-- Outside a transaction
-- A seller's number names one invoice of a type and a year: many sellers begin anew each January, and count credit notes apart.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS incoming_invoices_once_a_year ON incoming_invoices (tenant_id, seller_key, number, kind, coalesce(data ->> 'type_code', ''), extract(year FROM issue_date)) WHERE deleted_at IS NULL AND status <> 'rejected';
