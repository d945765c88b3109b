-- What imports of leads did is kept, so that they can be undone.
ALTER TABLE lead_imports ADD COLUMN undo_status text; -- NULL: nobody undoes it
ALTER TABLE lead_imports ADD COLUMN undo_run_id uuid;
ALTER TABLE lead_imports ADD COLUMN undo_error text; -- why undoing failed as a whole
ALTER TABLE lead_imports ADD COLUMN undone_count integer NOT NULL DEFAULT 0;
ALTER TABLE lead_imports ADD COLUMN kept_count integer NOT NULL DEFAULT 0;
ALTER TABLE lead_imports ADD COLUMN undone_at timestamptz;
ALTER TABLE lead_imports ADD CONSTRAINT lead_imports_undo_status CHECK (undo_status IN ('undoing', 'undone')) NOT VALID;

-- The leads that an import has made or changed.
CREATE TABLE lead_import_records (
  tenant_id bigint NOT NULL,
  import_id bigint NOT NULL,
  record_id bigint NOT NULL,
  row_number integer NOT NULL, -- of the first row that is about it
  revision integer NOT NULL, -- behind the last one
  revision_before integer, -- in front of the first one; NULL: the import made it
  before jsonb, -- what it was then; NULL: the import made it
  note_ids bigint[] NOT NULL DEFAULT '{}', -- of notes that rows wrote on it
  follow_up_ids bigint[] NOT NULL DEFAULT '{}', -- of follow-ups that rows planned for it
  undone boolean NOT NULL DEFAULT false,
  undo_error text,
  PRIMARY KEY (tenant_id, import_id, record_id),
  FOREIGN KEY (tenant_id, import_id) REFERENCES lead_imports (tenant_id, id),
  FOREIGN KEY (tenant_id, record_id) REFERENCES leads (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX lead_import_records_row ON lead_import_records (tenant_id, import_id, row_number, record_id);
CREATE INDEX lead_import_records_record ON lead_import_records (tenant_id, record_id);
SELECT app.workspace_table('lead_import_records');
