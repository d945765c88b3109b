-- Of a deposit invoice: the final invoice that takes it off, and was booked for what is left.
ALTER TABLE incoming_invoices ADD COLUMN final_invoice_id bigint;
ALTER TABLE incoming_invoices ADD CONSTRAINT incoming_invoices_final
  FOREIGN KEY (tenant_id, final_invoice_id) REFERENCES incoming_invoices (tenant_id, id) NOT VALID;
