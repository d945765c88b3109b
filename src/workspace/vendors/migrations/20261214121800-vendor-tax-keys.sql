-- A tax id as it is compared: its letters and digits, whatever stands between them.
ALTER TABLE vendors ADD COLUMN tax_key text GENERATED ALWAYS AS (regexp_replace(upper(tax_id), '[^[:alnum:]]', '', 'g')) STORED;
CREATE INDEX vendors_tax_key ON vendors (tenant_id, tax_key, id) WHERE tax_key IS NOT NULL;
