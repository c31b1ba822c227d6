-- Tokens of an outside identity provider (design section 5): the account takes none whose holder showed the password
-- before this instant (whole seconds, as the tokens tell them), and none that was signed out.
ALTER TABLE accounts ADD COLUMN tokens_valid_since_us INTEGER NOT NULL DEFAULT 0;

CREATE TABLE ended_tokens (
    id                 TEXT    NOT NULL PRIMARY KEY,
    ends_at_us         INTEGER NOT NULL
) STRICT;
CREATE INDEX ended_tokens_end ON ended_tokens (ends_at_us);
