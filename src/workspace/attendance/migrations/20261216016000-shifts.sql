-- Shifts over midnight, breaks, and what a record comes to. The two instants are the real ones, where a clock shows an hour twice.
ALTER TABLE attendance_records ADD COLUMN ends_next_day boolean NOT NULL DEFAULT false; -- check_out is a time of the day after date
ALTER TABLE attendance_records ADD COLUMN break_minutes integer NOT NULL DEFAULT 0;
ALTER TABLE attendance_records ADD COLUMN checked_in_at timestamptz;
ALTER TABLE attendance_records ADD COLUMN checked_out_at timestamptz;
ALTER TABLE attendance_records ADD COLUMN attended_minutes integer; -- whole ones from check-in to check-out, less the break; NULL: it hasn't ended
ALTER TABLE attendance_records ADD CONSTRAINT attendance_records_break CHECK (break_minutes BETWEEN 0 AND 1440) NOT VALID;
ALTER TABLE attendance_records ADD CONSTRAINT attendance_records_attended CHECK (attended_minutes >= 0) NOT VALID;
ALTER TABLE attendance_records ADD CONSTRAINT attendance_records_shift CHECK (
  CASE WHEN check_out IS NULL THEN NOT ends_next_day
    ELSE check_in IS NOT NULL AND CASE WHEN ends_next_day THEN check_out <= check_in ELSE check_out >= check_in END END
) NOT VALID;
-- It refuses what attendance_records_shift allows, and allows no more.
ALTER TABLE attendance_records DROP CONSTRAINT attendance_records_departure;
