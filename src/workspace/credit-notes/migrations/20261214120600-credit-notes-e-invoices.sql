ALTER TABLE credit_notes ADD COLUMN delivery_date date;
ALTER TABLE credit_notes ADD COLUMN delivery_period_start date;
ALTER TABLE credit_notes ADD COLUMN delivery_period_end date;
ALTER TABLE credit_notes ADD COLUMN buyer_reference text;
ALTER TABLE credit_notes ADD COLUMN order_reference text;
ALTER TABLE credit_notes ADD CONSTRAINT credit_notes_delivery_period CHECK (delivery_period_end >= delivery_period_start);
ALTER TABLE credit_note_lines ADD COLUMN unit_code text NOT NULL DEFAULT 'C62'; -- UN/ECE Recommendation 20
ALTER TABLE credit_note_lines ADD COLUMN tax_category text; -- null: S with a rate, unknown without one
ALTER TABLE credit_note_lines ADD CONSTRAINT credit_note_lines_tax_category CHECK (tax_category IN ('S', 'Z', 'E', 'AE', 'K', 'G', 'O'));
ALTER TABLE credit_note_lines ADD COLUMN tax_exemption_reason text;
