-- Who they are in an e-invoice (EN 16931, BG-7). `address` stays what is printed, and stands in where the parts are missing.
ALTER TABLE companies ADD COLUMN street text;
ALTER TABLE companies ADD COLUMN postcode text;
ALTER TABLE companies ADD COLUMN city text;
ALTER TABLE companies ADD COLUMN country text;
ALTER TABLE companies ADD COLUMN vat_id text;
ALTER TABLE companies ADD COLUMN einvoice_address text;
ALTER TABLE companies ADD COLUMN buyer_reference text;
