ALTER TABLE invoices ADD COLUMN delivery_date date;
ALTER TABLE invoices ADD COLUMN delivery_period_start date;
ALTER TABLE invoices ADD COLUMN delivery_period_end date;
ALTER TABLE invoices ADD COLUMN buyer_reference text;
ALTER TABLE invoices ADD COLUMN order_reference text;
ALTER TABLE invoices ADD CONSTRAINT invoices_delivery_period CHECK (delivery_period_end >= delivery_period_start);
ALTER TABLE invoice_lines ADD COLUMN unit_code text NOT NULL DEFAULT 'C62'; -- UN/ECE Recommendation 20
ALTER TABLE invoice_lines ADD COLUMN tax_category text; -- null: S with a rate, unknown without one
ALTER TABLE invoice_lines ADD CONSTRAINT invoice_lines_tax_category CHECK (tax_category IN ('S', 'Z', 'E', 'AE', 'K', 'G', 'O'));
ALTER TABLE invoice_lines ADD COLUMN tax_exemption_reason text;
