-- No row of before breaks them: one that had ended, had done so on its day.
ALTER TABLE attendance_records VALIDATE CONSTRAINT attendance_records_break;
ALTER TABLE attendance_records VALIDATE CONSTRAINT attendance_records_attended;
ALTER TABLE attendance_records VALIDATE CONSTRAINT attendance_records_shift;
