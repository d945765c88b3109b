-- The platform has webhook endpoints too, as workspace 0, made by its own people.
ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_tenant_id_fkey;
ALTER TABLE webhook_endpoints DROP CONSTRAINT webhook_endpoints_tenant_id_user_id_fkey;
ALTER TABLE webhook_endpoints DROP CONSTRAINT webhook_endpoints_tenant_id_fkey;
