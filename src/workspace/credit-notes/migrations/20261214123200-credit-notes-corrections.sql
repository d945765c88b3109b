-- The invoice that a credit note corrects, as laws want it named (EN 16931, BG-3).
ALTER TABLE credit_notes ADD COLUMN corrects_invoice_id bigint;
ALTER TABLE credit_notes ADD CONSTRAINT credit_notes_corrects FOREIGN KEY (tenant_id, corrects_invoice_id) REFERENCES invoices (tenant_id, id);
CREATE INDEX credit_notes_corrects ON credit_notes (tenant_id, corrects_invoice_id, created_at DESC, id DESC) INCLUDE (deleted_at)
  WHERE corrects_invoice_id IS NOT NULL;
DROP INDEX credit_notes_created;
CREATE INDEX credit_notes_created ON credit_notes (tenant_id, created_at DESC, id DESC) INCLUDE (deleted_at, status, currency, issue_date, contact_id, company_id, corrects_invoice_id, line_discount_type, subtotal, discount_total, tax_total, total, amount_applied, amount_remaining);
