-- Accounts with their user record (specification 3, "User"), sessions and tokens (design section 5).
CREATE TABLE accounts (
    uid                TEXT    NOT NULL PRIMARY KEY,
    email              TEXT    NOT NULL,
    password_hash      TEXT,
    display_name       TEXT    NOT NULL,
    first_name         TEXT,
    last_name          TEXT,
    phone              TEXT,
    photo_url          TEXT,
    email_verified     BOOLEAN NOT NULL,
    created_at_us      BIGINT  NOT NULL,
    revision           BIGINT  NOT NULL,
    trial_used_before  BOOLEAN NOT NULL,
    consent_given      BOOLEAN,
    consent_at_us      BIGINT
);
CREATE UNIQUE INDEX accounts_email ON accounts (email);

CREATE TABLE sessions (
    id                 TEXT    NOT NULL PRIMARY KEY,
    token_hash         BYTEA   NOT NULL,
    uid                TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
    user_agent         TEXT,
    client_address     TEXT,
    created_at_us      BIGINT  NOT NULL,
    seen_at_us         BIGINT  NOT NULL
);
CREATE UNIQUE INDEX sessions_token ON sessions (token_hash);
CREATE INDEX sessions_uid ON sessions (uid);

CREATE TABLE id_tokens (
    token_hash         BYTEA   NOT NULL PRIMARY KEY,
    session_id         TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    created_at_us      BIGINT  NOT NULL
);
CREATE INDEX id_tokens_session ON id_tokens (session_id);

CREATE TABLE service_tokens (
    id                 TEXT    NOT NULL PRIMARY KEY,
    name               TEXT    NOT NULL,
    token_hash         BYTEA   NOT NULL,
    scopes             TEXT    NOT NULL,
    created_at_us      BIGINT  NOT NULL,
    used_at_us         BIGINT,
    revoked_at_us      BIGINT
);
CREATE UNIQUE INDEX service_tokens_token ON service_tokens (token_hash);

-- Counters of attempts; the key is a hash, since it names an email or an address.
CREATE TABLE limits (
    key                TEXT    NOT NULL PRIMARY KEY,
    taken              BIGINT  NOT NULL,
    ends_at_us         BIGINT  NOT NULL
);
CREATE INDEX limits_end ON limits (ends_at_us);
