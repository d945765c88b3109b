-- How many minutes of a day (UTC) a process of the service was at work. The days of the last month, and the first of all.
CREATE TABLE uptime_days (
  day date PRIMARY KEY,
  first_minute integer NOT NULL CHECK (first_minute BETWEEN 0 AND 1439),
  last_minute integer NOT NULL CHECK (last_minute BETWEEN 0 AND 1439),
  minutes integer NOT NULL,
  CONSTRAINT uptime_days_minutes CHECK (minutes BETWEEN 1 AND last_minute - first_minute + 1)
);
SELECT app.platform_table('uptime_days', layout => 'local');
