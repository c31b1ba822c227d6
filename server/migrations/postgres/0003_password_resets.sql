-- Codes of password recovery that were mailed and not used (design section 5): their hashes, and when each ends.
CREATE TABLE password_resets (
    code_hash          BYTEA   NOT NULL PRIMARY KEY,
    uid                TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
    requested_at_us    BIGINT  NOT NULL,
    ends_at_us         BIGINT  NOT NULL
);
CREATE INDEX password_resets_uid ON password_resets (uid);
CREATE INDEX password_resets_end ON password_resets (ends_at_us);
