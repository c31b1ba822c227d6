-- Priority of a job within its class; lower is claimed first. 0: stored by a version without
-- priorities.
ALTER TABLE jobs ADD COLUMN priority BIGINT NOT NULL DEFAULT 0;
-- The account that the job is about; NULL without one.
ALTER TABLE jobs ADD COLUMN uid TEXT;
-- A payload may be broken, so it is matched as text and not cast as a whole.
UPDATE jobs SET uid = ('"' || substring(payload FROM '"uid"\s*:\s*"((?:[^"\\[:cntrl:]]|\\["\\/bfnrt])*)"') || '"')::jsonb #>> '{}'
WHERE payload ~ '"uid"\s*:\s*"(?:[^"\\[:cntrl:]]|\\["\\/bfnrt])*"';

CREATE INDEX jobs_claim ON jobs (priority, due_at_us) WHERE state = 'waiting';
-- What is counted every few seconds.
CREATE INDEX jobs_waiting_kind ON jobs (kind, due_at_us) WHERE state = 'waiting';
CREATE INDEX jobs_uid ON jobs (uid, kind) WHERE uid IS NOT NULL;

-- What retention looks for.
CREATE INDEX sessions_seen ON sessions (seen_at_us);
CREATE INDEX attributions_touched ON attributions (touched_at_us);
CREATE INDEX click_ids_stored ON click_ids (stored_at_us);
CREATE INDEX checkout_requests_created ON checkout_requests (created_at_us);
CREATE INDEX checkouts_abandoned ON checkouts (created_at_us) WHERE settled AND payment_status = 'unpaid';
