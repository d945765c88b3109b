-- Later statements that brought a transaction again: the transaction answers for no entry of yet another statement.
ALTER TABLE bank_transactions ADD COLUMN further_statement_ids bigint[] NOT NULL DEFAULT '{}';
