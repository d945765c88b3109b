-- Those of its words. What was issued before has English ones, with the figures of its locale.
ALTER TABLE issued_documents ADD COLUMN languages text[] NOT NULL DEFAULT '{en}';
