-- A document as it was issued: what is printed of it, whatever becomes of the records and settings that it was made from.
CREATE TABLE issued_documents (
  tenant_id bigint NOT NULL REFERENCES tenants (id),
  subject_type text NOT NULL, -- the document's table
  subject_id bigint NOT NULL,
  issued_at timestamptz NOT NULL,
  locale text NOT NULL,
  timezone text NOT NULL,
  printed json NOT NULL, -- as JSON text: its keys keep their order, so that it is drawn to the same bytes
  shown json, -- what the customer reads and signs, of documents that customers accept
  logo_key text,
  -- The PDF as first issued, drawn soon after.
  pdf_key text,
  pdf_sha256 bytea,
  pdf_bytes bigint CHECK (pdf_bytes > 0),
  PRIMARY KEY (tenant_id, subject_type, subject_id),
  FOREIGN KEY (tenant_id, logo_key) REFERENCES stored_files (tenant_id, key),
  CONSTRAINT issued_documents_pdf FOREIGN KEY (tenant_id, pdf_key) REFERENCES stored_files (tenant_id, key),
  CONSTRAINT issued_documents_pdf_is_known CHECK (num_nulls(pdf_key, pdf_sha256, pdf_bytes) IN (0, 3))
);
CREATE INDEX issued_documents_logo ON issued_documents (tenant_id, logo_key) WHERE logo_key IS NOT NULL;
CREATE INDEX issued_documents_pdf ON issued_documents (tenant_id, pdf_key) WHERE pdf_key IS NOT NULL; -- removing a file asks who refers to it
SELECT app.workspace_table('issued_documents');
REVOKE UPDATE ON issued_documents FROM app_tenant;
GRANT UPDATE (printed, pdf_key, pdf_sha256, pdf_bytes) ON issued_documents TO app_tenant;
