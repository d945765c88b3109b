-- Statements in further formats, and what is read of returned payments and of charges. Rows of before name no entry: each of them was one.
ALTER TABLE bank_statements ADD COLUMN format text NOT NULL DEFAULT 'camt.053';
ALTER TABLE bank_statements ADD CONSTRAINT bank_statements_format
  CHECK (format IN ('camt.053', 'camt.052', 'camt.054', 'mt940', 'csv')) NOT VALID;

ALTER TABLE bank_transactions ADD COLUMN entry_index integer; -- position of the bank's entry in its statement; the parts of a batch share it
ALTER TABLE bank_transactions ADD COLUMN entry_amount numeric(20, 4); -- of the bank's entry, of which this may be a part
ALTER TABLE bank_transactions ADD COLUMN entry_reference text; -- the bank's reference of the entry
ALTER TABLE bank_transactions ADD COLUMN bank_charges numeric(20, 4); -- deducted by the bank
ALTER TABLE bank_transactions ADD COLUMN return_reason text;
ALTER TABLE bank_transactions ADD COLUMN return_information text;
ALTER TABLE bank_transactions ADD COLUMN returned_payment_id bigint; -- the payment that it takes back
ALTER TABLE bank_transactions ADD CONSTRAINT bank_transactions_returned_payment
  FOREIGN KEY (tenant_id, returned_payment_id) REFERENCES payments (tenant_id, id) NOT VALID;
