-- What was soft-deleted together with its workspace, and comes back with it; what had been deleted before doesn't.
CREATE TABLE tenant_trash (
  tenant_id bigint NOT NULL REFERENCES tenants (id),
  kind text NOT NULL,
  record_id bigint NOT NULL,
  PRIMARY KEY (tenant_id, kind, record_id)
);
SELECT app.workspace_table('tenant_trash');
REVOKE ALL ON tenant_trash FROM app_tenant;
