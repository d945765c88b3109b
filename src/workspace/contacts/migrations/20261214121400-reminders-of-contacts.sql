ALTER TABLE contacts ADD COLUMN exclude_from_reminders boolean NOT NULL DEFAULT false;
