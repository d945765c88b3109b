-- Outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS incoming_invoices_of_final ON incoming_invoices (tenant_id, final_invoice_id) WHERE final_invoice_id IS NOT NULL;
