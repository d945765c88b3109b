-- Pages of a provider on which customers pay an invoice, and what the provider told of them.
CREATE TABLE payment_checkouts (
  tenant_id bigint NOT NULL REFERENCES tenants (id),
  uuid uuid NOT NULL DEFAULT gen_random_uuid(), -- by which the provider makes it once, and tells of it
  invoice_id bigint, -- null: deleted for good since
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid', 'failed')),
  mode text NOT NULL CHECK (mode IN ('sandbox', 'live')),
  currency text NOT NULL,
  amount numeric(20, 4) NOT NULL CHECK (amount > 0),
  reference text, -- the provider's name of the page
  url text,
  received numeric(20, 4), -- null: nothing was told of it
  refunded numeric(20, 4) NOT NULL DEFAULT 0,
  next_check_at timestamptz, -- when the provider is asked what became of it; null: nothing more is expected
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, uuid),
  FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);
CREATE INDEX payment_checkouts_invoice ON payment_checkouts (tenant_id, invoice_id, created_at);
CREATE INDEX payment_checkouts_due ON payment_checkouts (tenant_id, next_check_at) WHERE next_check_at IS NOT NULL;
SELECT app.workspace_table('payment_checkouts');

-- What came by a page is one payment that counts, however often the provider tells of it.
ALTER TABLE payments ADD COLUMN checkout_uuid uuid;
ALTER TABLE payments ADD CONSTRAINT payments_checkout_page FOREIGN KEY (tenant_id, checkout_uuid) REFERENCES payment_checkouts (tenant_id, uuid);
CREATE INDEX payments_checkout ON payments (tenant_id, checkout_uuid, id) WHERE checkout_uuid IS NOT NULL;
CREATE UNIQUE INDEX payments_checkout_once ON payments (tenant_id, checkout_uuid) WHERE status = 'posted' AND checkout_uuid IS NOT NULL;
