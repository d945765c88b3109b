-- Records of before, by the clock of their workspace.
SET LOCAL ROLE app_platform;
UPDATE attendance_records r
  SET attended_minutes = greatest(0, extract(epoch FROM (r.date + r.check_out) AT TIME ZONE t.timezone - (r.date + r.check_in) AT TIME ZONE t.timezone)::integer / 60)
  FROM tenants t WHERE t.id = r.tenant_id AND r.check_in IS NOT NULL AND r.check_out IS NOT NULL AND r.attended_minutes IS NULL;
RESET ROLE;
