-- Reads the clicks beside those who write some.
DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'short_link_clicks'::regclass AND conname = 'short_link_clicks_until') THEN
    ALTER TABLE short_link_clicks VALIDATE CONSTRAINT short_link_clicks_until;
  END IF;
END $$;
