-- What users were told. A key that a user has once is not told again: the index decides it, whoever comes second.
CREATE TABLE notifications (
  tenant_id bigint NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  user_id bigint NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL, -- the envelope
  dedupe_key text,
  read_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE UNIQUE INDEX notifications_once ON notifications (tenant_id, user_id, dedupe_key);
CREATE INDEX notifications_newest ON notifications (tenant_id, user_id, created_at DESC, id DESC);
CREATE INDEX notifications_unread ON notifications (tenant_id, user_id, created_at DESC, id DESC) WHERE read_at IS NULL;
CREATE INDEX notifications_age ON notifications (tenant_id, created_at);
SELECT app.workspace_table('notifications');

-- What users have switched on or off. Null: they haven't said, and it is on.
CREATE TABLE notification_preferences (
  tenant_id bigint NOT NULL REFERENCES tenants (id),
  user_id bigint NOT NULL,
  type text NOT NULL,
  push boolean,
  mail boolean,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id, type),
  FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
SELECT app.workspace_table('notification_preferences');
