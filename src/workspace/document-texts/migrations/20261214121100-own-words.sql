-- What a workspace says in its own words instead of the shipped ones.
CREATE TABLE document_texts (
  tenant_id bigint NOT NULL REFERENCES tenants (id),
  language text NOT NULL,
  key text NOT NULL,
  text text NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, language, key)
);
SELECT app.workspace_table('document_texts');
