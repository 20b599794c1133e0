-- expand
-- Organizations and their API keys, and the lowest migration that a node must know.

-- The lowest migration that a node must know to use this store. A contract migration raises it.
CREATE TABLE schema_floor (
  one           boolean PRIMARY KEY DEFAULT true CHECK (one),
  min_migration integer NOT NULL CHECK (min_migration > 0)
);

INSERT INTO schema_floor (min_migration) VALUES (12);

-- webhook_secret_before: the secret before the present one, which signs too until
-- webhook_secret_before_until, for receivers that do not have the present one yet.
-- webhook_secret_key, webhook_secret_before_key: the id of the master key that sealed the secret,
-- which is then a nonce of 12 bytes, 32 bytes and a tag of 16; null: the secret is stored in the
-- clear.
CREATE TABLE organization (
  id                          uuid        PRIMARY KEY,
  name                        text        NOT NULL UNIQUE CHECK (name <> ''),
  state                       text        NOT NULL DEFAULT 'active'
                                          CHECK (state IN ('active', 'suspended')),
  monthly_limit_micro         bigint      CHECK (monthly_limit_micro >= 0),
  webhook_secret              bytea       NOT NULL,
  created_at                  timestamptz NOT NULL DEFAULT now(),
  webhook_secret_before       bytea,
  webhook_secret_before_until timestamptz,
  webhook_secret_key          text,
  webhook_secret_before_key   text,
  CHECK ((webhook_secret_before IS NULL) = (webhook_secret_before_until IS NULL)),
  CONSTRAINT organization_webhook_secret_form
    CHECK (octet_length(webhook_secret)
           = CASE WHEN webhook_secret_key IS NULL THEN 32 ELSE 60 END),
  CONSTRAINT organization_webhook_secret_before_form
    CHECK (CASE WHEN webhook_secret_before IS NULL THEN webhook_secret_before_key IS NULL
                ELSE octet_length(webhook_secret_before)
                     = CASE WHEN webhook_secret_before_key IS NULL THEN 32 ELSE 60 END END)
);

-- hash: SHA-256 of the key's text, which is never stored. There is no state "expired": it follows
-- from expires_at.
CREATE TABLE api_key (
  id                   text        PRIMARY KEY CHECK (id ~ '^[0-9A-Za-z]{8}$'),
  org_id               uuid        NOT NULL REFERENCES organization (id),
  name                 text        NOT NULL CHECK (name <> ''),
  hash                 bytea       NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  last_four            text        NOT NULL CHECK (length(last_four) = 4),
  state                text        NOT NULL DEFAULT 'active'
                                   CHECK (state IN ('active', 'disabled', 'revoked')),
  expires_at           timestamptz,
  allowed_models       text[]      NOT NULL DEFAULT '{}',
  allowed_modalities   text[]      NOT NULL DEFAULT '{}',
  allowed_ips          text[]      NOT NULL DEFAULT '{}',
  requests_per_second  integer     CHECK (requests_per_second >= 0),
  requests_per_minute  integer     CHECK (requests_per_minute >= 0),
  tokens_per_minute    bigint      CHECK (tokens_per_minute >= 0),
  concurrency          integer     CHECK (concurrency >= 0),
  daily_budget_micro   bigint      CHECK (daily_budget_micro >= 0),
  monthly_budget_micro bigint      CHECK (monthly_budget_micro >= 0),
  created_at           timestamptz NOT NULL DEFAULT now(),
  revoked_at           timestamptz,
  replaced_by          text        REFERENCES api_key (id),
  CHECK ((state = 'revoked') = (revoked_at IS NOT NULL))
);

CREATE INDEX api_key_by_org ON api_key (org_id, created_at);

-- Changes that every node polls to drop what it has cached: one key, or all keys of an
-- organization.
CREATE TABLE key_change (
  rev    bigserial   PRIMARY KEY,
  key_id text,
  org_id uuid,
  at     timestamptz NOT NULL DEFAULT now(),
  CHECK ((key_id IS NULL) <> (org_id IS NULL))
);

-- Notes a change. Readers ask for rev > last. The lock draws revs one transaction at a time:
-- without it a lower rev could become visible after a higher one was read, and its change would be
-- missed.
CREATE FUNCTION mark_key_change() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7455831);
  IF TG_TABLE_NAME = 'api_key' THEN
    INSERT INTO key_change (key_id) VALUES (coalesce(NEW.id, OLD.id));
  ELSE
    INSERT INTO key_change (org_id) VALUES (coalesce(NEW.id, OLD.id));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER api_key_changed AFTER INSERT OR UPDATE OR DELETE ON api_key
  FOR EACH ROW EXECUTE FUNCTION mark_key_change();

CREATE TRIGGER organization_changed AFTER UPDATE OR DELETE ON organization
  FOR EACH ROW EXECUTE FUNCTION mark_key_change();

-- Refuses any change of the rows of an append-only table.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME;
END $$;
