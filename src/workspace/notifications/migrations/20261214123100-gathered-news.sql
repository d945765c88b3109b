-- Who is to be told of which records when long work has ended: in one notification instead of one a record.
CREATE TABLE gathered_news (
  tenant_id bigint NOT NULL,
  batch_id uuid NOT NULL,
  user_id bigint NOT NULL,
  type text NOT NULL,
  record_id bigint NOT NULL,
  subject text NOT NULL,
  title text NOT NULL,
  body text NOT NULL, -- what is said where it stays the only one; U+FFFC stands for the record's name
  PRIMARY KEY (tenant_id, batch_id, user_id, type, record_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX gathered_news_user ON gathered_news (tenant_id, user_id);
SELECT app.workspace_table('gathered_news');
