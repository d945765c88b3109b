-- An index that includes click_count or last_clicked_at is written at each counted click, and all others with it, because the row then can't
-- stay on its page: three times as many clicks are written without. A list by clicks reads the rows.
DROP INDEX short_links_created;
CREATE INDEX short_links_created ON short_links (tenant_id, created_at DESC, id DESC) INCLUDE (deleted_at, expires_at);
