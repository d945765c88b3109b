-- Background work: the days on which a workspace's daily jobs were enqueued, and long work that goes on in steps.

-- A row claims the run of that local day. They are swept when they are a week old.
CREATE TABLE job_days (
  tenant_id bigint NOT NULL REFERENCES tenants (id),
  job text NOT NULL,
  day date NOT NULL,
  claimed_at timestamptz NOT NULL DEFAULT now(), -- the database's clock: a test's clock must not sweep
  PRIMARY KEY (tenant_id, job, day)
);
CREATE INDEX job_days_age ON job_days (claimed_at);
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
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (tenant_id, id)
);
CREATE INDEX job_runs_leased ON job_runs (leased_until) WHERE state = 'running';
CREATE INDEX job_runs_finished ON job_runs (finished_at) WHERE finished_at IS NOT NULL;
SELECT app.workspace_table('job_runs');

-- Which workspaces a setting holds for: daily jobs at a time that a setting names ask this of all workspaces at once.
CREATE INDEX workspace_settings_key ON workspace_settings (key, tenant_id);
-- Which time zones there are.
CREATE INDEX tenants_timezone ON tenants (timezone);
