-- What people answered about advertising, and where they came from (design section 9). All of it goes with its account.
ALTER TABLE accounts ADD COLUMN consent_text_version TEXT;

-- Every answer that an account gave, and which one stood at a checkout (checkout_id, empty for the account's own).
CREATE TABLE consents (
    uid          TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
    checkout_id  TEXT    NOT NULL,
    chosen_at_us BIGINT  NOT NULL,
    ads_allowed  BOOLEAN NOT NULL,
    text_version TEXT    NOT NULL,
    stored_at_us BIGINT  NOT NULL,
    PRIMARY KEY (uid, checkout_id, chosen_at_us)
);

-- The first and the last arrival that said where it came from, as known at sign-up and at each checkout.
CREATE TABLE attributions (
    uid           TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
    checkout_id   TEXT    NOT NULL,
    touch         TEXT    NOT NULL,
    touched_at_us BIGINT  NOT NULL,
    source        TEXT    NOT NULL,
    campaign      TEXT    NOT NULL,
    promo         TEXT    NOT NULL,
    utm_source    TEXT    NOT NULL,
    utm_medium    TEXT    NOT NULL,
    utm_campaign  TEXT    NOT NULL,
    utm_term      TEXT    NOT NULL,
    utm_content   TEXT    NOT NULL,
    campaign_id   TEXT    NOT NULL,
    referral      TEXT    NOT NULL,
    referrer_host TEXT    NOT NULL,
    PRIMARY KEY (uid, checkout_id, touch)
);

-- Ids of clicks on advertisements: with consent alone, and gone when it is taken back.
CREATE TABLE click_ids (
    uid          TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
    checkout_id  TEXT    NOT NULL,
    fbc          TEXT    NOT NULL,
    fbp          TEXT    NOT NULL,
    gclid        TEXT    NOT NULL,
    stored_at_us BIGINT  NOT NULL,
    PRIMARY KEY (uid, checkout_id)
);

-- Steps to a purchase by day of Sao Paulo (YYYY-MM-DD), and where visits came from: counts alone.
CREATE TABLE funnel_counts (
    day   TEXT   NOT NULL,
    step  TEXT   NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (day, step)
);
CREATE TABLE visit_counts (
    day      TEXT   NOT NULL,
    source   TEXT   NOT NULL,
    campaign TEXT   NOT NULL,
    promo    TEXT   NOT NULL,
    count    BIGINT NOT NULL,
    PRIMARY KEY (day, source, campaign, promo)
);
