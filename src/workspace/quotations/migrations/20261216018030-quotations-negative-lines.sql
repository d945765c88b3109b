-- Returns and deductions have negative prices. What a tax rate comes to stays 0 or more: computeTotals sees to it.
ALTER TABLE quotation_lines DROP CONSTRAINT quotation_lines_unit_price_check;
