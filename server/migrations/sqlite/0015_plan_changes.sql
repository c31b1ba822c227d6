-- A change of plan that was previewed (design section 7). The row is the intent: it is claimed before the provider is
-- told, and its id and attempt make the Idempotency-Key. What the subscription was then tells whether the preview holds.
CREATE TABLE plan_changes (
    id                       TEXT    NOT NULL PRIMARY KEY,
    uid                      TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
    token_hash               BLOB    NOT NULL,
    request_id               TEXT,
    subscription_id          TEXT    NOT NULL,
    item_id                  TEXT    NOT NULL,
    from_price_id            TEXT    NOT NULL,
    from_period_start_at_us  INTEGER NOT NULL,
    from_period_end_at_us    INTEGER NOT NULL,
    from_balance_centavos    INTEGER NOT NULL,
    from_cancels             INTEGER NOT NULL,
    plan_id                  TEXT    NOT NULL,
    plan_interval            TEXT    NOT NULL,
    price_id                 TEXT    NOT NULL,
    renews_again             INTEGER NOT NULL,
    counts_from_at_us        INTEGER NOT NULL,
    total_centavos           INTEGER NOT NULL,
    due_centavos             INTEGER NOT NULL,
    state                    TEXT    NOT NULL,
    attempt                  INTEGER NOT NULL,
    decline_code             TEXT    NOT NULL,
    invoice_id               TEXT,
    charged_centavos         INTEGER,
    created_at_us            INTEGER NOT NULL,
    expires_at_us            INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX plan_changes_token ON plan_changes (token_hash);
CREATE UNIQUE INDEX plan_changes_request ON plan_changes (uid, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX plan_changes_uid ON plan_changes (uid, created_at_us);
CREATE INDEX plan_changes_created ON plan_changes (created_at_us);

-- What the provider keeps between invoices for a customer: negative is credit.
ALTER TABLE customers ADD COLUMN balance_centavos INTEGER NOT NULL DEFAULT 0;
