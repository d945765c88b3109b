-- A phone number in E.164, if it says its country: '+1 (212) 555-0100 ext 7' and '001 212 555 0100' are +12125550100.
CREATE FUNCTION app.e164(phone text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN digits ~ '^\+[1-9][0-9]{6,14}$' THEN digits END
  FROM (SELECT regexp_replace(regexp_replace(regexp_replace(phone, '[[:alpha:]#;,].*$|\(0\)', '', 'g'), '^\s*00', '+'), '[^0-9+]', '', 'g') AS digits) n
$$;
GRANT EXECUTE ON FUNCTION app.e164(text) TO app_tenant, app_platform;

ALTER TABLE contacts ADD COLUMN phone_e164 text GENERATED ALWAYS AS (app.e164(phone)) STORED;
CREATE INDEX contacts_phone ON contacts (tenant_id, phone_e164, id) WHERE phone_e164 IS NOT NULL;
