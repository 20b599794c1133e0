-- Who may call, and the money they brought.

CREATE TABLE organization (
  id                  uuid        PRIMARY KEY,
  name                text        NOT NULL UNIQUE CHECK (name <> ''),
  state               text        NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended')),
  monthly_limit_micro bigint      CHECK (monthly_limit_micro >= 0),
  webhook_secret      bytea       NOT NULL CHECK (octet_length(webhook_secret) = 32),
  created_at          timestamptz NOT NULL DEFAULT now()
);

-- The secret itself is never stored. "expired" is not a state: it follows from expires_at.
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

-- What every node polls to drop what it cached: a key, or all keys of an organization.
CREATE TABLE key_change (
  rev    bigserial   PRIMARY KEY,
  key_id text,
  org_id uuid,
  at     timestamptz NOT NULL DEFAULT now(),
  CHECK ((key_id IS NULL) <> (org_id IS NULL))
);

-- A reader asks for rev > last. Without the lock a lower rev could become visible after a higher
-- one was read, and that change would be missed for ever: so revs are drawn one transaction at a
-- time.
CREATE FUNCTION mark_key_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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

-- Money that came in or was written off. Rows are never changed: a balance is their sum.
CREATE TABLE ledger_entry (
  id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id       uuid        NOT NULL REFERENCES organization (id),
  kind         text        NOT NULL
                           CHECK (kind IN ('funding', 'refund', 'adjustment', 'write_off')),
  amount_micro bigint      NOT NULL CHECK (amount_micro <> 0),
  ref          text        NOT NULL UNIQUE CHECK (ref <> ''),
  actor        text        NOT NULL,
  at           timestamptz NOT NULL DEFAULT now(),
  CHECK (kind <> 'funding' OR amount_micro > 0)
);

CREATE INDEX ledger_entry_by_org ON ledger_entry (org_id, id);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME;
END $$;

CREATE TRIGGER ledger_entry_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
