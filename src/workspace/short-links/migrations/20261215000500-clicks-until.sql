-- The clicks that there are, and those of this month and the next, become the first part of a table that is divided by months: none of them is later. Where they
-- are spread over a cluster already the table stays whole, because there it can't become a part of another one.
DO $$
DECLARE
  is_spread boolean := false;
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    EXECUTE 'SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = ''short_link_clicks''::regclass)' INTO is_spread;
  END IF;
  IF NOT is_spread THEN
    EXECUTE format('ALTER TABLE short_link_clicks ADD CONSTRAINT short_link_clicks_until CHECK (clicked_at < %L) NOT VALID',
      (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months') AT TIME ZONE 'UTC');
  END IF;
END $$;
