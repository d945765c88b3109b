-- Recipients that a message which is sent has not reached: {recipient, state}. Those that are deferred are still to get it.
ALTER TABLE email_messages ADD COLUMN rejected jsonb NOT NULL DEFAULT '[]';
