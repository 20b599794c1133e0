-- expand
-- People who sign in to the control plane, what they may do, and the audit log of what was done.

-- email_key: the address in the form in which addresses are compared; null once the account is
-- closed, which erases name and address. password_hash: Argon2id as a PHC string; null: no password.
CREATE TABLE user_account (
  id            uuid        PRIMARY KEY,
  email         text,
  email_key     text        UNIQUE,
  name          text        NOT NULL,
  state         text        NOT NULL CHECK (state IN ('pending', 'active', 'disabled', 'closed')),
  is_operator   boolean     NOT NULL DEFAULT false,
  password_hash text,
  password_at   timestamptz,
  timezone      text        NOT NULL DEFAULT 'UTC',
  locale        text        NOT NULL DEFAULT 'en',
  created_at    timestamptz NOT NULL DEFAULT ledger_now(),
  verified_at   timestamptz,
  closed_at     timestamptz,
  version       integer     NOT NULL DEFAULT 1,
  CHECK ((state = 'closed') = (closed_at IS NOT NULL)),
  CHECK ((state = 'closed') = (email_key IS NULL)),
  CHECK ((email IS NULL) = (email_key IS NULL)),
  CHECK (state <> 'active' OR verified_at IS NOT NULL),
  CHECK (NOT is_operator OR state <> 'closed')
);

CREATE TABLE membership (
  org_id    uuid        NOT NULL REFERENCES organization (id),
  user_id   uuid        NOT NULL REFERENCES user_account (id),
  role      text        NOT NULL
                        CHECK (role IN ('owner', 'admin', 'developer', 'billing', 'viewer')),
  joined_at timestamptz NOT NULL DEFAULT ledger_now(),
  version   integer     NOT NULL DEFAULT 1,
  PRIMARY KEY (org_id, user_id)
);

CREATE INDEX membership_by_user ON membership (user_id);

-- Raises the version of a row that is edited, from whatever side.
CREATE FUNCTION raise_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

CREATE TRIGGER user_account_version BEFORE UPDATE ON user_account
  FOR EACH ROW EXECUTE FUNCTION raise_version();

CREATE TRIGGER membership_version BEFORE UPDATE ON membership
  FOR EACH ROW EXECUTE FUNCTION raise_version();

-- Refuses to leave an organization that has members and is not closed without an active owner. It
-- runs at the commit, behind the lock of the organization, so that two owners who remove each other
-- do not both succeed.
CREATE FUNCTION require_owner(its_org uuid) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM 1 FROM organization WHERE id = its_org FOR NO KEY UPDATE;
  IF EXISTS (SELECT 1 FROM membership WHERE org_id = its_org)
     AND NOT EXISTS (SELECT 1 FROM membership m JOIN user_account u ON u.id = m.user_id
                      WHERE m.org_id = its_org AND m.role = 'owner' AND u.state = 'active') THEN
    RAISE EXCEPTION 'organization % would have no active owner', its_org
      USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'last_owner';
  END IF;
END $$;

CREATE FUNCTION membership_keeps_owner() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM require_owner(OLD.org_id);
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER membership_keeps_owner AFTER UPDATE OR DELETE ON membership
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.role = 'owner')
  EXECUTE FUNCTION membership_keeps_owner();

CREATE FUNCTION user_account_keeps_owners() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM require_owner(m.org_id)
     FROM membership m WHERE m.user_id = OLD.id AND m.role = 'owner' ORDER BY m.org_id;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER user_account_keeps_owners AFTER UPDATE OF state ON user_account
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.state = 'active' AND NEW.state <> 'active')
  EXECUTE FUNCTION user_account_keeps_owners();

-- token_hash: SHA-256 of the secret in the link. An address has one open invitation to an
-- organization.
CREATE TABLE invitation (
  id          uuid        PRIMARY KEY,
  org_id      uuid        NOT NULL REFERENCES organization (id),
  email       text        NOT NULL,
  email_key   text        NOT NULL,
  role        text        NOT NULL
                          CHECK (role IN ('owner', 'admin', 'developer', 'billing', 'viewer')),
  token_hash  bytea       NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  invited_by  text        NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT ledger_now(),
  expires_at  timestamptz NOT NULL,
  accepted_at timestamptz,
  accepted_by uuid        REFERENCES user_account (id),
  revoked_at  timestamptz
);

CREATE UNIQUE INDEX invitation_open ON invitation (org_id, email_key)
  WHERE accepted_at IS NULL AND revoked_at IS NULL;

-- Browsers that are signed in. token_hash: SHA-256 of the cookie. how: the ways of the last proof,
-- such as pwd. renew: the next request gets a new cookie. followed_by: the session that replaced it,
-- with the new cookie.
CREATE TABLE user_session (
  id           uuid        PRIMARY KEY,
  user_id      uuid        NOT NULL REFERENCES user_account (id),
  token_hash   bytea       NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  created_at   timestamptz NOT NULL DEFAULT ledger_now(),
  last_seen_at timestamptz NOT NULL DEFAULT ledger_now(),
  proven_at    timestamptz NOT NULL DEFAULT ledger_now(),
  expires_at   timestamptz NOT NULL,
  how          text[]      NOT NULL,
  ip           text        NOT NULL,
  user_agent   text        NOT NULL,
  renew        boolean     NOT NULL DEFAULT false,
  ended_at     timestamptz,
  ended_why    text,
  followed_by  uuid,
  CHECK ((ended_at IS NULL) = (ended_why IS NULL))
);

CREATE INDEX user_session_by_user ON user_session (user_id) WHERE ended_at IS NULL;

-- Secrets of links, each used once. payload: a JSON object of what the link is about.
CREATE TABLE one_time_token (
  token_hash bytea       PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  purpose    text        NOT NULL
                         CHECK (purpose IN ('setup', 'verify_email', 'change_email',
                                            'reset_password')),
  user_id    uuid        REFERENCES user_account (id),
  payload    text        NOT NULL DEFAULT '{}',
  tries      integer     NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT ledger_now(),
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);

CREATE INDEX one_time_token_by_user ON one_time_token (user_id, purpose);

-- Failed sign-ins and sent mails, counted in windows. bucket: a kind and the hash of an account or
-- an address.
CREATE TABLE sign_in_throttle (
  bucket text        PRIMARY KEY,
  count  integer     NOT NULL CHECK (count > 0),
  since  timestamptz NOT NULL
);

-- Credentials of automation. hash: SHA-256 of the token's text, which is never stored. org_id:
-- null: a token of the platform.
CREATE TABLE control_token (
  id           text        PRIMARY KEY CHECK (id ~ '^[0-9A-Za-z]{8}$'),
  org_id       uuid        REFERENCES organization (id),
  name         text        NOT NULL,
  hash         bytea       NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  last_four    text        NOT NULL CHECK (length(last_four) = 4),
  role         text        NOT NULL
                           CHECK (role IN ('operator', 'admin', 'developer', 'billing', 'viewer')),
  allowed_ips  text[]      NOT NULL DEFAULT '{}',
  created_by   uuid        NOT NULL REFERENCES user_account (id),
  created_at   timestamptz NOT NULL DEFAULT ledger_now(),
  expires_at   timestamptz NOT NULL,
  last_used_at timestamptz,
  revoked_at   timestamptz,
  CHECK ((org_id IS NULL) = (role = 'operator'))
);

-- What was done by whom, append-only; one partition for each month. changes: a JSON array of
-- {field, from, to}.
CREATE SEQUENCE audit_event_id;

CREATE TABLE audit_event (
  id          bigint      NOT NULL DEFAULT nextval('audit_event_id'),
  at          timestamptz NOT NULL DEFAULT ledger_now(),
  org_id      uuid,
  actor_kind  text        NOT NULL
                          CHECK (actor_kind IN ('user', 'token', 'operator', 'cli', 'system')),
  actor_id    text,
  actor_name  text,
  action      text        NOT NULL,
  target_kind text,
  target_id   text,
  target_name text,
  changes     text        NOT NULL DEFAULT '[]',
  ip          text,
  user_agent  text,
  request_id  text,
  PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);

CREATE INDEX audit_event_by_org ON audit_event (org_id, at DESC, id DESC);

CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE ON audit_event
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_event_not_truncated BEFORE TRUNCATE ON audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Creates the partition of a month of the audit log if it is missing. It is made aside and attached,
-- so that no other statement waits.
CREATE FUNCTION audit_month(its_month date) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  its_name text := 'audit_event_' || to_char(its_month, 'YYYYMM');
  begins   timestamptz := date_trunc('month', its_month)::timestamp AT TIME ZONE 'UTC';
  ends     timestamptz := (date_trunc('month', its_month) + interval '1 month')::timestamp
                          AT TIME ZONE 'UTC';
BEGIN
  PERFORM pg_advisory_xact_lock(7455840);
  IF to_regclass(its_name) IS NOT NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE audit_event INCLUDING ALL)', its_name);
  EXECUTE format('ALTER TABLE %I ADD CHECK (at >= %L AND at < %L)', its_name, begins, ends);
  EXECUTE format('ALTER TABLE audit_event ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                 its_name, begins, ends);
  EXECUTE format('CREATE TRIGGER audit_event_not_truncated BEFORE TRUNCATE ON %I'
                 ' FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', its_name);
END $$;

-- Creates the running and the next month of the audit log.
CREATE FUNCTION audit_months() RETURNS void LANGUAGE sql
SET search_path FROM CURRENT AS $$
  SELECT audit_month((ledger_now() AT TIME ZONE 'UTC')::date);
  SELECT audit_month(((ledger_now() AT TIME ZONE 'UTC') + interval '1 month')::date);
$$;

SELECT audit_months();

-- Answers to requests that carry an idempotency key, without secrets. actor: who sent it. status:
-- null while the change is under way.
CREATE TABLE control_idempotency (
  actor       text        NOT NULL,
  route       text        NOT NULL,
  key         text        NOT NULL,
  body_sha256 bytea       NOT NULL CHECK (octet_length(body_sha256) = 32),
  status      integer,
  response    text,
  at          timestamptz NOT NULL DEFAULT ledger_now(),
  PRIMARY KEY (actor, route, key)
);

CREATE INDEX control_idempotency_by_time ON control_idempotency (at);

-- Mails to send. They contain secret links: a row is deleted as soon as it was sent. message_key:
-- the id of the master key that sealed the message; null: it is stored in the clear. next_try_at:
-- infinity: all tries failed, the last one at lease_until.
CREATE TABLE mail_outbox (
  id          uuid        PRIMARY KEY,
  to_address  text        NOT NULL,
  kind        text        NOT NULL,
  message     bytea       NOT NULL,
  message_key text,
  tries       integer     NOT NULL DEFAULT 0,
  next_try_at timestamptz NOT NULL DEFAULT ledger_now(),
  lease_until timestamptz,
  created_at  timestamptz NOT NULL DEFAULT ledger_now()
);

CREATE INDEX mail_outbox_due ON mail_outbox (next_try_at);
