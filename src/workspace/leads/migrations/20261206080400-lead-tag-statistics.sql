-- Some tags are on every other lead, some on a few. Without knowing which, the planner reads the wrong index.
ALTER TABLE lead_tag_links ALTER COLUMN tag_id SET STATISTICS 1000;
