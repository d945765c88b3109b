-- Who sells, who buys and how it is paid, as an e-invoice says it; and the XML that was issued inside the first PDF.
ALTER TABLE issued_documents ADD COLUMN parties json;
ALTER TABLE issued_documents ADD COLUMN xml text;
ALTER TABLE issued_documents ADD COLUMN xml_sha256 bytea;
ALTER TABLE issued_documents ADD CONSTRAINT issued_documents_xml_is_known CHECK (num_nulls(xml, xml_sha256) IN (0, 2));
