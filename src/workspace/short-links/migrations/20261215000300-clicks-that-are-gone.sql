-- The click log of a link goes back to here, and how many clicks were before: the operator says how long clicks are kept. Sums stay.
ALTER TABLE short_links ADD COLUMN clicks_from timestamptz;
ALTER TABLE short_links ADD COLUMN clicks_gone bigint NOT NULL DEFAULT 0;
