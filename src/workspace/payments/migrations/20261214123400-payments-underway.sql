-- With a transfer or a debit the bank takes days: the customer has done what they can, and isn't asked to pay again.
ALTER TABLE payment_checkouts ADD COLUMN is_underway boolean NOT NULL DEFAULT false;
