-- What the documents of a customer are written in. Without either: as the workspace has it.
ALTER TABLE companies ADD COLUMN language text;
ALTER TABLE companies ADD COLUMN languages text[] NOT NULL DEFAULT '{}';
