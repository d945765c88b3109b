-- Another system's id names one lead from here on: where imports have kept duplicates, the oldest keeps it, as imports found that one anyway.
DO $$
BEGIN
  PERFORM set_config('role', 'app_platform', true);
  UPDATE leads SET external_id = NULL
  WHERE external_id IS NOT NULL AND (trim(external_id) = '' OR EXISTS (
    SELECT FROM leads o WHERE o.tenant_id = leads.tenant_id AND o.external_id = leads.external_id AND o.id < leads.id
      AND o.deleted_at IS NULL AND leads.deleted_at IS NULL));
  PERFORM set_config('role', 'none', true);
END $$;
