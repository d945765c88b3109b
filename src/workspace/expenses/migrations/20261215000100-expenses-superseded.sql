-- Of a deleted expense: what it was made of was taken back, and may become another one, so this one stays deleted.
ALTER TABLE expenses ADD COLUMN is_superseded boolean NOT NULL DEFAULT false;
