-- Sign-in asks the directory alone: what it judges an account by stands beside the address. On a cluster the directory is on the coordinator, so that a
-- machine that is down keeps out the people of its own workspaces only.
ALTER TABLE sign_in_directory ADD COLUMN password_hash text;
ALTER TABLE sign_in_directory ADD COLUMN is_verified boolean NOT NULL DEFAULT false;

CREATE FUNCTION app.keep_sign_in() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM sign_in_directory WHERE tenant_id = OLD.tenant_id AND user_id = OLD.id;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.deleted_at IS NULL AND NOT NEW.is_service THEN
    INSERT INTO sign_in_directory (email, tenant_id, user_id, password_hash, is_verified)
      VALUES (NEW.email, NEW.tenant_id, NEW.id, NEW.password_hash, NEW.email_verified_at IS NOT NULL);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER sign_in_new AFTER INSERT OR DELETE ON users FOR EACH ROW EXECUTE FUNCTION app.keep_sign_in();
CREATE TRIGGER sign_in_change AFTER UPDATE OF email, password_hash, email_verified_at, deleted_at ON users FOR EACH ROW EXECUTE FUNCTION app.keep_sign_in();
SELECT app.belongs_to_platform('app.keep_sign_in()');
DROP TRIGGER sign_in_directory_new ON users;
DROP TRIGGER sign_in_directory_change ON users;
