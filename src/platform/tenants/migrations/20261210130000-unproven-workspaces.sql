-- Workspaces that somebody registered whose address is not proven yet. A row ends with the proof, however it comes, or with the workspace.
CREATE TABLE unproven_workspaces (
  tenant_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  email text NOT NULL,
  network text, -- from which it was registered: an IPv4 address, or the /56 of an IPv6 one
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id)
);
CREATE INDEX unproven_workspaces_email ON unproven_workspaces (email, created_at);
CREATE INDEX unproven_workspaces_network ON unproven_workspaces (network, created_at);
CREATE INDEX unproven_workspaces_created ON unproven_workspaces (created_at);
SELECT app.platform_table('unproven_workspaces', layout => 'distributed');

CREATE FUNCTION app.end_unproven() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM unproven_workspaces WHERE tenant_id = NEW.tenant_id;
  RETURN NULL;
END $$;
CREATE TRIGGER unproven_workspace AFTER UPDATE OF email_verified_at ON users FOR EACH ROW
  WHEN (NEW.is_owner AND OLD.email_verified_at IS NULL AND NEW.email_verified_at IS NOT NULL) EXECUTE FUNCTION app.end_unproven();
SELECT app.belongs_to_platform('app.end_unproven()');
