-- Returns and deductions have negative prices. What a tax rate comes to stays 0 or more: computeTotals sees to it.
ALTER TABLE invoice_lines DROP CONSTRAINT invoice_lines_unit_price_check;
ALTER TABLE invoice_lines DROP CONSTRAINT invoice_lines_net_check;
