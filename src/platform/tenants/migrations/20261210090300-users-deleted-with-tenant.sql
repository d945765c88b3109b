-- Who was soft-deleted together with their workspace, and comes back with it; who had been deleted before doesn't.
CREATE TABLE users_deleted_with_tenant (
  tenant_id bigint NOT NULL,
  user_id bigint NOT NULL,
  PRIMARY KEY (tenant_id, user_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
SELECT app.workspace_table('users_deleted_with_tenant');
REVOKE ALL ON users_deleted_with_tenant FROM app_tenant;
