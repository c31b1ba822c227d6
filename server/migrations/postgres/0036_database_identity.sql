-- Names this database: a gateway calls servers of one database alone. One row; a copy keeps the name.
CREATE TABLE database_identity (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  database_id TEXT NOT NULL
);
INSERT INTO database_identity (id, database_id) VALUES (1, replace(gen_random_uuid()::text, '-', ''));

-- A migration under which an older program does wrong inserts its number and the newest migration that a program must
-- know at least. A migration without a row only adds, so that every program that knows this table runs on it.
CREATE TABLE schema_requirements (
  migration BIGINT PRIMARY KEY,
  oldest_migration BIGINT NOT NULL
);
