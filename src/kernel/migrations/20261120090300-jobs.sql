-- Background work: what daily jobs have been enqueued, and long work that goes on in steps.

-- How far a daily job has come in a time zone on a local day: whose time is up to `time` has it in the queue. Swept when 30 days old.
CREATE TABLE job_times (
  job text NOT NULL,
  zone text NOT NULL,
  day date NOT NULL,
  time text NOT NULL CHECK (time ~ '^[0-2][0-9]:[0-5][0-9]$'),
  PRIMARY KEY (job, zone, day)
);
SELECT app.platform_table('job_times');

-- The last local day of a workspace's daily job. Claimed by whoever enqueues it, so that a workspace that moves to another zone
-- or changes its time doesn't get it twice on a day.
CREATE TABLE job_days (
  tenant_id bigint NOT NULL REFERENCES tenants (id),
  job text NOT NULL,
  day date NOT NULL,
  PRIMARY KEY (tenant_id, job)
);
SELECT app.workspace_table('job_days');

CREATE TABLE job_runs (
  tenant_id bigint NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  job text NOT NULL,
  data jsonb NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'completed', 'failed', 'cancelled')),
  cursor jsonb, -- where the next batch begins; null: at the beginning
  done bigint NOT NULL DEFAULT 0,
  total bigint,
  error text,
  turn integer NOT NULL DEFAULT 0, -- counted up by each worker that takes it over: only the latest may write
  leased_until timestamptz, -- by the database's clock; a worker that is alive renews it with each batch
  rescues integer NOT NULL DEFAULT 0, -- workers lost since the last batch
  created_by bigint,
  impersonator jsonb, -- who worked as that user
  key_id bigint, -- the API key by which that user came
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (tenant_id, id)
);
CREATE INDEX job_runs_leased ON job_runs (leased_until) WHERE state = 'running';
SELECT app.workspace_table('job_runs');

-- Who has set a time, HH:MM, to what.
CREATE INDEX workspace_settings_times ON workspace_settings (key, (value #>> '{}')) WHERE length(value #>> '{}') = 5;
-- Which time zones there are, and who is in one.
CREATE INDEX tenants_timezone ON tenants (timezone, id);
