-- Codes that confirm an email, mailed and not used: their hashes, and when each ends (as password_resets).
CREATE TABLE email_confirmations (
    code_hash          BYTEA   NOT NULL PRIMARY KEY,
    uid                TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
    requested_at_us    BIGINT  NOT NULL,
    ends_at_us         BIGINT  NOT NULL
);
CREATE INDEX email_confirmations_uid ON email_confirmations (uid);
CREATE INDEX email_confirmations_end ON email_confirmations (ends_at_us);

-- What happened to accounts that bears on their safety. No email stands here: where the account is unknown, its hash.
CREATE TABLE audit_events (
    id                 TEXT    NOT NULL PRIMARY KEY,
    at_us              BIGINT  NOT NULL,
    kind               TEXT    NOT NULL,
    uid                TEXT,
    email_hash         TEXT,
    client_address     TEXT,
    device             TEXT    NOT NULL,
    request_id         TEXT    NOT NULL
);
CREATE INDEX audit_events_at ON audit_events (at_us);
CREATE INDEX audit_events_uid ON audit_events (uid, at_us);
CREATE INDEX audit_events_email ON audit_events (email_hash, at_us) WHERE email_hash IS NOT NULL;

-- Accounts that are no more. Their emails' hashes stay, so that nobody has a second trial (design section 7).
CREATE TABLE deletions (
    protocol           TEXT    NOT NULL PRIMARY KEY,
    uid                TEXT    NOT NULL,
    email_hash         TEXT    NOT NULL,
    deleted_at_us      BIGINT  NOT NULL
);
CREATE UNIQUE INDEX deletions_uid ON deletions (uid);
CREATE INDEX deletions_email ON deletions (email_hash);

-- Keys that the product makes for itself at its first start: that of the hashes of emails.
CREATE TABLE hash_keys (
    name               TEXT    NOT NULL PRIMARY KEY,
    value              BYTEA   NOT NULL
);

-- Where a deleted account's Pix goes, until it is paid.
ALTER TABLE refunds ADD COLUMN pix_key TEXT;
