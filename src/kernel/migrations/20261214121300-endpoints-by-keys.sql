-- The API key by which it was made: it is told no more than that key may see, and nothing once the key has ended.
ALTER TABLE webhook_endpoints ADD COLUMN key_id bigint;
