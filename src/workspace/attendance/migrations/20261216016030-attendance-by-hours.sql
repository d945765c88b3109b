-- Outside a transaction
-- Records are sorted by the hours that they come to.
CREATE INDEX CONCURRENTLY IF NOT EXISTS attendance_records_by_attended_minutes ON attendance_records (tenant_id, attended_minutes, id);
