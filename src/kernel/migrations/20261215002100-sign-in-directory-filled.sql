SET LOCAL ROLE app_platform;
UPDATE sign_in_directory d SET password_hash = u.password_hash, is_verified = u.email_verified_at IS NOT NULL
  FROM users u WHERE u.tenant_id = d.tenant_id AND u.id = d.user_id;
RESET ROLE;
-- The next `npm run distribute` lays it out anew.
UPDATE table_layouts SET layout = 'citus_local' WHERE name = 'sign_in_directory';
