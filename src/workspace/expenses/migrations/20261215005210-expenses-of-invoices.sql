-- Amounts beside the one that an expense comes to, of the invoice that it was made of: paid before, rounded by, collected for others, booked as deposits.
ALTER TABLE expenses ADD COLUMN prepaid_amount numeric(20, 4) NOT NULL DEFAULT 0;
ALTER TABLE expenses ADD COLUMN rounding_amount numeric(20, 4) NOT NULL DEFAULT 0;
ALTER TABLE expenses ADD COLUMN third_party_amount numeric(20, 4) NOT NULL DEFAULT 0;
ALTER TABLE expenses ADD COLUMN deposit_amount numeric(20, 4) NOT NULL DEFAULT 0;
