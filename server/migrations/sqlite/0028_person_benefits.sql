-- What a person is given once: the trial, the coupon of the first subscription, and the first subscription itself, which
-- alone has the guarantee. A person is the keyed hash of the canonical address of an email; rows outlive the account.
-- benefit: trial, first_coupon or first_subscription.
CREATE TABLE person_benefits (
    person_hash  TEXT    NOT NULL,
    benefit      TEXT    NOT NULL,
    uid          TEXT    NOT NULL,
    given_at_us  INTEGER NOT NULL,
    PRIMARY KEY (person_hash, benefit)
) STRICT;
CREATE INDEX person_benefits_uid ON person_benefits (uid);

-- NULL until the daily retention has filled it: only the server has the key of the hash.
ALTER TABLE accounts ADD COLUMN person_hash TEXT;
CREATE INDEX accounts_without_person ON accounts (created_at_us) WHERE person_hash IS NULL;

INSERT INTO person_benefits (person_hash, benefit, uid, given_at_us)
SELECT email_hash, 'trial', MIN(uid), MIN(deleted_at_us) FROM deletions GROUP BY email_hash;

INSERT INTO person_benefits (person_hash, benefit, uid, given_at_us)
SELECT d.email_hash, 'first_subscription', MIN(d.uid), MIN(s.first_paid_at_us)
FROM deletions d JOIN subscriptions s ON s.uid = d.uid
WHERE s.first_paid_at_us IS NOT NULL AND s.retired <> 'duplicate' GROUP BY d.email_hash;
