-- What the documents of a customer are written in. Without either: as the workspace has it.
ALTER TABLE contacts ADD COLUMN language text;
ALTER TABLE contacts ADD COLUMN languages text[] NOT NULL DEFAULT '{}';
