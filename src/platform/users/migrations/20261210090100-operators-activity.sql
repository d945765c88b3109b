-- What one of the platform's people did, in whichever workspace: the newest first.
CREATE INDEX audit_logs_operator ON audit_logs (actor_id, created_at DESC, id DESC) WHERE actor_type = 'platform_user';
