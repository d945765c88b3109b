-- Returns and deductions have negative prices. What a tax rate comes to stays 0 or more: computeTotals sees to it.
ALTER TABLE estimate_lines DROP CONSTRAINT estimate_lines_unit_price_check;
