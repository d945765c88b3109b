-- How far a workspace's feed of events has come. Its row is the lock under which committed activities get their place.
CREATE TABLE event_feeds (
  tenant_id bigint NOT NULL REFERENCES tenants (id),
  last bigint NOT NULL DEFAULT 0, -- the position of the newest event
  floor bigint NOT NULL DEFAULT 0, -- up to here events are older than the feed keeps them
  PRIMARY KEY (tenant_id)
);
SELECT app.workspace_table('event_feeds');
