-- What each account may use, as it came to be: the feed of WatchEntitlements (design section 2, EntitlementService).
-- Rows are told in the order of `seq`, which is the order of their commits. The latest of each account stays; the others
-- live 7 days. A row without a plan says that the account is gone.
CREATE TABLE entitlement_changes (
    seq                BIGINT  NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid                TEXT    NOT NULL,
    latest             BOOLEAN NOT NULL,
    plan_id            TEXT,
    status             TEXT    NOT NULL,
    suspended_reason   TEXT,
    valid_until_us     BIGINT,
    next_change_at_us  BIGINT,
    revision           BIGINT  NOT NULL,
    at_us              BIGINT  NOT NULL
);
CREATE UNIQUE INDEX entitlement_changes_latest ON entitlement_changes (uid) WHERE latest;
CREATE INDEX entitlement_changes_at ON entitlement_changes (at_us);

-- The accounts of before get their first row now, and are woken from then on when time changes what they may use.
INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation)
SELECT 'rights_change', uid, json_build_object('uid', uid)::text, 'waiting', 0, 0, 1 FROM accounts WHERE TRUE
ON CONFLICT (kind, key) DO UPDATE SET state = 'waiting', due_at_us = 0, attempts = 0,
    generation = jobs.generation + 1, last_error = NULL, ended_at_us = NULL;
