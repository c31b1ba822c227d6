-- What the hourly doctor found: one row for each invariant of its last run.
CREATE TABLE doctor_findings (
  invariant TEXT PRIMARY KEY,
  -- At most 100; of the last run that could check it.
  findings INTEGER NOT NULL,
  -- Whether the last run could check it.
  is_checked INTEGER NOT NULL,
  -- End of the last run, in real time.
  ran_at_us INTEGER NOT NULL
);
