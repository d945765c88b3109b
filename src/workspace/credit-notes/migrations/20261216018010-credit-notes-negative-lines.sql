-- Returns and deductions have negative prices. What a tax rate comes to stays 0 or more: computeTotals sees to it.
ALTER TABLE credit_note_lines DROP CONSTRAINT credit_note_lines_unit_price_check;
ALTER TABLE credit_note_lines DROP CONSTRAINT credit_note_lines_net_check;
