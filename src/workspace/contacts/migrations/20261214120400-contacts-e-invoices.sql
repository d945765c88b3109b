-- Who they are in an e-invoice (EN 16931, BG-7). `address` stays what is printed, and stands in where the parts are missing.
ALTER TABLE contacts ADD COLUMN street text;
ALTER TABLE contacts ADD COLUMN postcode text;
ALTER TABLE contacts ADD COLUMN city text;
ALTER TABLE contacts ADD COLUMN country text;
ALTER TABLE contacts ADD COLUMN vat_id text;
ALTER TABLE contacts ADD COLUMN einvoice_address text;
ALTER TABLE contacts ADD COLUMN buyer_reference text;
