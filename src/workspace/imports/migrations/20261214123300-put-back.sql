-- The revision before the import's first change of a record: an earlier import that left it so can be undone once this one is.
ALTER TABLE import_records ADD COLUMN revision_before integer; -- NULL: the import made it, or is older than this column
