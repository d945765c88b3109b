-- lower() itself is no index condition for a request (it is not leakproof); a column is.
ALTER TABLE companies ADD COLUMN name_lower text GENERATED ALWAYS AS (lower(name)) STORED;
CREATE INDEX companies_name_lower ON companies (tenant_id, name_lower, id);
