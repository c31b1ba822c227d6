-- What is counted every few seconds is found without a look at the jobs that are done.
CREATE INDEX jobs_parked ON jobs (due_at_us) WHERE state = 'parked';
