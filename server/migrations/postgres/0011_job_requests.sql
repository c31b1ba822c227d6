-- The request that caused a job: the job's log lines carry its id, so that one payment can be followed.
ALTER TABLE jobs ADD COLUMN request_id TEXT;
