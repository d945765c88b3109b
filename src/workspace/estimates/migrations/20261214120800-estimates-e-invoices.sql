ALTER TABLE estimate_lines ADD COLUMN unit_code text NOT NULL DEFAULT 'C62'; -- UN/ECE Recommendation 20
ALTER TABLE estimate_lines ADD COLUMN tax_category text; -- null: S with a rate, unknown without one
ALTER TABLE estimate_lines ADD CONSTRAINT estimate_lines_tax_category CHECK (tax_category IN ('S', 'Z', 'E', 'AE', 'K', 'G', 'O'));
ALTER TABLE estimate_lines ADD COLUMN tax_exemption_reason text;
