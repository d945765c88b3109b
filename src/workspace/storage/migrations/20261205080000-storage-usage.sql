-- How much of its allowance (tenants.storage_allowance_bytes) a workspace uses. Whoever counts holds the row until the end of
-- the transaction, so that uploads side by side see each other.
CREATE TABLE storage_usage (
  tenant_id bigint NOT NULL REFERENCES tenants (id),
  used_bytes bigint NOT NULL CHECK (used_bytes >= 0),
  PRIMARY KEY (tenant_id)
);
SELECT app.workspace_table('storage_usage');
