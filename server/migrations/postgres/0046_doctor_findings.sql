-- What the hourly doctor found: one row for each invariant of its last run.
CREATE TABLE doctor_findings (
  invariant TEXT PRIMARY KEY,
  -- At most 100; of the last run that could check it.
  findings BIGINT NOT NULL,
  -- Whether the last run could check it.
  is_checked BOOLEAN NOT NULL,
  -- End of the last run, in real time.
  ran_at_us BIGINT NOT NULL
);
