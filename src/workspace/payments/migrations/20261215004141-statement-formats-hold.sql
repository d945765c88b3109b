-- No row of before breaks them: format is new and has one value, returned_payment_id is empty.
ALTER TABLE bank_statements VALIDATE CONSTRAINT bank_statements_format;
ALTER TABLE bank_transactions VALIDATE CONSTRAINT bank_transactions_returned_payment;
