-- How a user takes part in leads.
ALTER TABLE users ADD COLUMN exclude_from_lead_auto_assign boolean NOT NULL DEFAULT false;
ALTER TABLE users ADD COLUMN receive_website_leads boolean NOT NULL DEFAULT false;
ALTER TABLE users ADD COLUMN receive_all_users_daily_summary boolean NOT NULL DEFAULT false;
ALTER TABLE users ADD COLUMN lead_commission_rate numeric(7, 4);
ALTER TABLE users ADD CONSTRAINT users_lead_commission_rate CHECK (lead_commission_rate BETWEEN 0 AND 100);
