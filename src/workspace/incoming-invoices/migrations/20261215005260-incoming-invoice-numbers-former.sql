-- Outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS incoming_invoices_once;
