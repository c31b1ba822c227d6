-- The durable queue (design section 1, "One durable queue").
CREATE TABLE jobs (
    kind            TEXT    NOT NULL,
    key             TEXT    NOT NULL,
    payload         TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    due_at_us       INTEGER NOT NULL,
    attempts        INTEGER NOT NULL,
    generation      INTEGER NOT NULL,
    leased_until_us INTEGER,
    last_error      TEXT,
    ended_at_us     INTEGER,
    PRIMARY KEY (kind, key)
) STRICT;
CREATE INDEX jobs_waiting ON jobs (due_at_us) WHERE state = 'waiting';
CREATE INDEX jobs_ended ON jobs (ended_at_us) WHERE ended_at_us IS NOT NULL;

-- One row that readiness writes, so that "ready" means "a write was committed".
CREATE TABLE heartbeats (
    name   TEXT    NOT NULL PRIMARY KEY,
    beat   INTEGER NOT NULL
) STRICT;
