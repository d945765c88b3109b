-- Which users have had their digest of a day, or had nothing in it.
CREATE TABLE daily_digests (
  tenant_id bigint NOT NULL REFERENCES tenants (id),
  user_id bigint NOT NULL,
  day date NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id, day),
  FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX daily_digests_age ON daily_digests (tenant_id, day);
SELECT app.workspace_table('daily_digests');
