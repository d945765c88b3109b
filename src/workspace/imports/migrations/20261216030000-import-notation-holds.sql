ALTER TABLE imports VALIDATE CONSTRAINT imports_decimal_sign;
ALTER TABLE imports VALIDATE CONSTRAINT imports_group_sign;
ALTER TABLE imports VALIDATE CONSTRAINT imports_day_order;
