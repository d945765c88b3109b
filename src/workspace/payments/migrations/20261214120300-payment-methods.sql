-- How customers may pay a workspace: by transfer, or on the page of a provider with the workspace's own account there.
CREATE TABLE payment_methods (
  tenant_id bigint NOT NULL REFERENCES tenants (id),
  code text NOT NULL CHECK (code IN ('bank_transfer', 'stripe')),
  uuid uuid NOT NULL DEFAULT gen_random_uuid(), -- in the address of its webhook
  is_enabled boolean NOT NULL DEFAULT false,
  account_holder text,
  iban text,
  bic text,
  mode text CHECK (mode IN ('sandbox', 'live')), -- of the provider's keys
  sealed bytea, -- the keys, encrypted
  allow_partial boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, code),
  UNIQUE (tenant_id, uuid),
  CONSTRAINT payment_methods_complete CHECK (NOT is_enabled OR CASE code
    WHEN 'bank_transfer' THEN account_holder IS NOT NULL AND iban IS NOT NULL
    ELSE sealed IS NOT NULL END)
);
CREATE INDEX payment_methods_uuid ON payment_methods (uuid); -- looked up before the workspace is known
SELECT app.workspace_table('payment_methods');
