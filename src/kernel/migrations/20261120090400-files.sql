-- Every file that was ever begun, so that orphans are found here and never by listing a folder or a bucket. A row is committed
-- as 'pending' before the first byte is written, becomes 'kept' in the transaction that makes use of the file, and 'discarded' in
-- the one that gives it up. tenant_id 0: a file of the platform.
CREATE TABLE stored_files (
  tenant_id bigint NOT NULL,
  key text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'kept', 'discarded')),
  mime text,
  bytes bigint CHECK (bytes >= 0),
  sha256 bytea,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, key),
  CONSTRAINT stored_files_kept_is_known CHECK (state <> 'kept' OR (mime IS NOT NULL AND bytes IS NOT NULL AND sha256 IS NOT NULL))
);
-- What the sweep looks for; few rows, because most files are kept.
CREATE INDEX stored_files_loose ON stored_files (tenant_id, key) WHERE state <> 'kept';
SELECT app.workspace_table('stored_files');
