-- Which table of its file an import of leads reads, and in which notation the table's texts are.
ALTER TABLE lead_imports ADD COLUMN sheet text; -- NULL: the file is CSV, or was taken in before this column
ALTER TABLE lead_imports ADD COLUMN sheets text[] NOT NULL DEFAULT '{}'; -- names of the sheets of an XLSX file
ALTER TABLE lead_imports ADD COLUMN header_row integer NOT NULL DEFAULT 1;
ALTER TABLE lead_imports ADD COLUMN decimal_sign text NOT NULL DEFAULT '.';
ALTER TABLE lead_imports ADD COLUMN group_sign text; -- NULL: digits aren't grouped, or by commas before a decimal point
ALTER TABLE lead_imports ADD COLUMN day_order text; -- NULL: days with slashes are refused
ALTER TABLE lead_imports ADD CONSTRAINT lead_imports_decimal_sign CHECK (decimal_sign IN ('.', ',')) NOT VALID;
ALTER TABLE lead_imports ADD CONSTRAINT lead_imports_group_sign CHECK (group_sign IN ('.', ',', ' ', '''')) NOT VALID;
ALTER TABLE lead_imports ADD CONSTRAINT lead_imports_day_order CHECK (day_order IN ('dmy', 'mdy', 'ymd')) NOT VALID;
