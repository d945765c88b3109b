-- What each process measured, every ten seconds: the charts of the last hours. Unlogged: losing it in a crash loses charts only.
CREATE UNLOGGED TABLE operations_samples (
  process uuid NOT NULL,
  taken_at timestamptz NOT NULL,
  figures jsonb NOT NULL,
  PRIMARY KEY (process, taken_at)
);
CREATE INDEX operations_samples_taken ON operations_samples (taken_at);
SELECT app.local_table('operations_samples');
