CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE IF NOT EXISTS objects (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  created INTEGER NOT NULL,
  doc TEXT NOT NULL, -- what the API shows
  private TEXT -- what the sandbox keeps beside it
) STRICT;
CREATE INDEX IF NOT EXISTS objects_kind ON objects (kind, seq);
CREATE INDEX IF NOT EXISTS objects_customer_seq ON objects (json_extract(doc, '$.customer'), kind, seq);
CREATE INDEX IF NOT EXISTS objects_email ON objects (json_extract(doc, '$.email'), kind);
CREATE INDEX IF NOT EXISTS objects_subscription_seq ON objects (json_extract(doc, '$.subscription'), kind, seq);
CREATE INDEX IF NOT EXISTS objects_invoice_seq ON objects (json_extract(doc, '$.invoice'), kind, seq);
CREATE INDEX IF NOT EXISTS objects_parent ON objects (json_extract(doc, '$.parent.subscription_details.subscription'), kind);
CREATE INDEX IF NOT EXISTS objects_own_subscription ON objects (json_extract(private, '$.subscription'), kind);
CREATE INDEX IF NOT EXISTS objects_voucher ON objects (json_extract(private, '$.voucher.token'), kind);
CREATE INDEX IF NOT EXISTS objects_intent ON objects (json_extract(doc, '$.payment.payment_intent'), kind);
CREATE INDEX IF NOT EXISTS objects_own_invoice ON objects (json_extract(private, '$.invoice'), kind);
CREATE INDEX IF NOT EXISTS objects_page ON objects (json_extract(private, '$.page'), kind);
CREATE INDEX IF NOT EXISTS objects_lookup_key ON objects (json_extract(doc, '$.lookup_key'), kind);

CREATE TABLE IF NOT EXISTS clock_timers (
  clock_id TEXT NOT NULL, -- empty: the sandbox's own clock
  object_id TEXT NOT NULL,
  what TEXT NOT NULL,
  due_at_us INTEGER NOT NULL,
  PRIMARY KEY (object_id, what)
) STRICT;
CREATE INDEX IF NOT EXISTS clock_timers_due ON clock_timers (clock_id, due_at_us);

-- When a customer was changed, in real microseconds: search finds it later.
CREATE TABLE IF NOT EXISTS search_changes (object_id TEXT PRIMARY KEY, at_us INTEGER NOT NULL) STRICT;

CREATE TABLE IF NOT EXISTS idempotency (
  key TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at_us INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS deliveries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  state TEXT NOT NULL, -- pending, held, delivered, dropped, failed
  copies INTEGER NOT NULL DEFAULT 1,
  due_at_us INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_answer TEXT NOT NULL DEFAULT '',
  last_at_us INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (state, due_at_us);
CREATE INDEX IF NOT EXISTS deliveries_event ON deliveries (event_id);

CREATE TABLE IF NOT EXISTS mails (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  body_text TEXT NOT NULL,
  body_html TEXT NOT NULL,
  sent_at_us INTEGER NOT NULL
) STRICT;

-- Each mail that came again under its key: a mail server would have delivered it twice.
CREATE TABLE IF NOT EXISTS mail_repeats (seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS mail_repeats_key ON mail_repeats (key);

CREATE TABLE IF NOT EXISTS conversions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  version TEXT NOT NULL,
  pixel TEXT NOT NULL,
  event_key TEXT NOT NULL,
  doc TEXT NOT NULL,
  received_at_us INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS conversions_key ON conversions (pixel, event_key);
