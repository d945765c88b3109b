-- Whether a redirect hands on the query of the visitor's address.
ALTER TABLE short_links ADD COLUMN forwards_query boolean NOT NULL DEFAULT false;

-- As app.short_links_at, which the version before goes on to call.
CREATE FUNCTION app.short_links_followed(codes text[], OUT asked text, OUT tenant_id bigint, OUT link_id bigint, OUT is_live boolean, OUT expires_at timestamptz,
  OUT destination_url text, OUT utm_source text, OUT utm_medium text, OUT utm_campaign text, OUT utm_term text, OUT utm_content text, OUT forwards_query boolean,
  OUT workspace_name text, OUT is_open boolean) RETURNS SETOF record
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  workspace bigint;
  known_as text;
  judged bigint;
BEGIN
  FOREACH asked IN ARRAY codes LOOP
    workspace := NULL;
    known_as := asked;
    IF length(asked) = 36 AND asked ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
      SELECT l.tenant_id, l.code INTO workspace, known_as FROM short_links l WHERE l.uuid = asked::uuid;
    END IF;
    IF workspace IS NULL THEN
      known_as := asked;
      SELECT c.tenant_id INTO workspace FROM short_link_codes c WHERE c.code = asked;
    END IF;
    SELECT l.tenant_id, l.id, l.status = 'active' AND l.deleted_at IS NULL, l.expires_at, l.destination_url,
        l.utm_source, l.utm_medium, l.utm_campaign, l.utm_term, l.utm_content, l.forwards_query
      INTO tenant_id, link_id, is_live, expires_at, destination_url, utm_source, utm_medium, utm_campaign, utm_term, utm_content, forwards_query
      FROM short_links l WHERE l.tenant_id = workspace AND l.code = known_as;
    CONTINUE WHEN NOT FOUND;
    IF workspace IS DISTINCT FROM judged THEN
      SELECT w.name, w.is_open INTO workspace_name, is_open FROM app.short_link_workspace(workspace) w;
      judged := workspace;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;
SELECT app.belongs_to_platform('app.short_links_followed(text[])');

-- It sees any workspace: only the login role, which asks before it takes a role, may call it.
DO $$ BEGIN
  -- On a cluster this machine alone: there a GRANT would travel on a connection of its own, which doesn't see the new functions.
  PERFORM set_config('role', 'app_platform', true), set_config('citus.enable_ddl_propagation', 'off', true);
  EXECUTE format('GRANT EXECUTE ON FUNCTION app.short_links_followed(text[]) TO %I', session_user);
  PERFORM set_config('role', 'none', true), set_config('citus.enable_ddl_propagation', 'on', true);
END $$;

