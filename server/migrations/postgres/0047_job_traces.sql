-- The span that caused the job, as the W3C's traceparent; NULL if its trace is not recorded.
ALTER TABLE jobs ADD COLUMN traceparent TEXT;
