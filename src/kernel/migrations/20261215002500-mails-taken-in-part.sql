-- Recipients whose server doesn't take the mail yet, while it has taken it for others: it is still to be sent to them alone.
ALTER TABLE email_logs ADD COLUMN deferred_to text[] NOT NULL DEFAULT '{}';
