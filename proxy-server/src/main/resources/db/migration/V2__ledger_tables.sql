-- expand
-- The ledger store that all nodes share (docs/ledger.md): its tables, its clock and its scopes.

-- The clock of the ledger store; a function of its own, so that tests can set it.
CREATE FUNCTION ledger_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  'SELECT clock_timestamp()';

-- The four scopes of a payer. It has no SET clause, so that it is inlined.
CREATE FUNCTION ledger_scopes(its_org uuid, its_key text, its_day date)
RETURNS TABLE (kind integer, scope_id text, key_id text) LANGUAGE sql STABLE AS $$
  VALUES (1, 'org:' || its_org, NULL),
         (2, 'orgm:' || its_org || ':' || to_char(its_day, 'YYYY-MM'), NULL),
         (4, 'keyd:' || its_key || ':' || to_char(its_day, 'YYYY-MM-DD'), its_key),
         (8, 'keym:' || its_key || ':' || to_char(its_day, 'YYYY-MM'), its_key)
$$;

-- Money that was paid in, paid back, adjusted or written off. Rows are never changed: the balance
-- of an organization is their sum.
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

CREATE TRIGGER ledger_entry_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The sum of a scope, which limits spending. limit_micro: of a balance, the amount paid in, kept by
-- a trigger; of a window, the highest limit under which money was granted (null: there was none).
-- leased_micro: granted to holders and not spent. beyond_micro: charged without money reserved for
-- it, because of an overrun, a lost lease or no limit. recall: how often idle money was recalled
-- from the nodes; recalled_at: when that was last.
CREATE TABLE scope_account (
  scope_id     text        COLLATE "C" PRIMARY KEY,
  org_id       uuid        NOT NULL REFERENCES organization (id),
  key_id       text        REFERENCES api_key (id),
  limit_micro  bigint      DEFAULT 0,
  used_micro   bigint      NOT NULL DEFAULT 0 CHECK (used_micro >= 0),
  leased_micro bigint      NOT NULL DEFAULT 0 CHECK (leased_micro >= 0),
  beyond_micro bigint      NOT NULL DEFAULT 0 CHECK (beyond_micro >= 0),
  recall       bigint      NOT NULL DEFAULT 0,
  version      bigint      NOT NULL DEFAULT 0,
  recalled_at  timestamptz,
  CHECK ((key_id IS NULL) = starts_with(scope_id, 'org'))
) WITH (fillfactor = 50);

-- Most scopes were never recalled: a heartbeat reads the few that were, not all of its leases.
CREATE INDEX scope_account_recalled ON scope_account (recalled_at) WHERE recalled_at IS NOT NULL;

-- Notes when a scope is recalled.
CREATE FUNCTION scope_account_recalled() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  NEW.recalled_at := ledger_now();
  RETURN NEW;
END $$;

CREATE TRIGGER scope_account_recalled BEFORE UPDATE OF recall ON scope_account
  FOR EACH ROW WHEN (NEW.recall > OLD.recall) EXECUTE FUNCTION scope_account_recalled();

-- The present epoch of each node. A node may spend while its epoch and boot_id match and the state
-- is open. lost: it was silent for so long that it may not spend any more, and may still have
-- charges.
CREATE TABLE node_epoch (
  node_id      uuid        PRIMARY KEY,
  epoch        bigint      NOT NULL CHECK (epoch > 0),
  boot_id      uuid        NOT NULL,
  state        text        NOT NULL CHECK (state IN ('open', 'lost', 'closed')),
  heartbeat_at timestamptz NOT NULL,
  holder       text        COLLATE "C"
               GENERATED ALWAYS AS ('node:' || node_id::text || ':' || epoch::text) STORED
) WITH (fillfactor = 50);

-- What a holder, a node's epoch or a job, may spend of a scope. A lease's amount is its base, which
-- grants raise and statements lower, and its overrun, which settlements raise. Both are stated as
-- absolute amounts, so that the next answer makes good one that was lost on its way. Every grant
-- and heartbeat of a holder has a number: called is the highest that changed the lease, stated the
-- highest that stated its base. answered: the last recall that the holder answered. asked: the
-- recall that it began because it was refused, 0 for none; asked_call: the number of the call that
-- began it; answered_call: the number of the last call whose recall all holders answered.
CREATE TABLE lease (
  holder        text        COLLATE "C" NOT NULL,
  scope_id      text        COLLATE "C" NOT NULL REFERENCES scope_account (scope_id),
  granted_micro bigint      NOT NULL DEFAULT 0,
  spent_micro   bigint      NOT NULL DEFAULT 0,
  state         text        NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')),
  answered      bigint      NOT NULL DEFAULT 0,
  asked         bigint      NOT NULL DEFAULT 0,
  asked_at      timestamptz,
  closed_at     timestamptz,
  overrun_micro bigint      NOT NULL DEFAULT 0,
  called        bigint      NOT NULL DEFAULT 0,
  stated        bigint      NOT NULL DEFAULT 0,
  asked_call    bigint      NOT NULL DEFAULT 0,
  answered_call bigint      NOT NULL DEFAULT 0,
  PRIMARY KEY (holder, scope_id),
  CHECK (0 <= spent_micro AND spent_micro <= granted_micro),
  CHECK (0 <= overrun_micro AND overrun_micro <= granted_micro)
) WITH (fillfactor = 50);

-- Finds the open leases of a holder without reading those that are closed.
CREATE INDEX lease_open_by_holder ON lease (holder, scope_id) WHERE state = 'open';

-- The leases of nodes, of which a scope has one for each node; it has another for each job.
CREATE INDEX lease_of_nodes_by_scope ON lease (scope_id)
  WHERE state = 'open' AND holder LIKE 'node:%';

-- Settlements: exactly one row for each charged request, one partition for each day. held: the
-- kinds of scopes in which money was reserved for the request.
CREATE TABLE settlement (
  day               date        NOT NULL,
  request_id        text        COLLATE "C" NOT NULL CHECK (length(request_id) = 30),
  org_id            uuid        NOT NULL,
  key_id            text        NOT NULL,
  holder            text        NOT NULL,
  held              smallint    NOT NULL CHECK (held BETWEEN 0 AND 15),
  reserved_micro    bigint      NOT NULL CHECK (reserved_micro >= 0),
  cost_micro        bigint      NOT NULL CHECK (cost_micro >= 0),
  overrun_micro     bigint      NOT NULL
                                CHECK (overrun_micro = greatest(cost_micro - reserved_micro, 0)),
  prompt_tokens     bigint      NOT NULL,
  completion_tokens bigint      NOT NULL,
  cached_tokens     bigint      NOT NULL,
  reasoning_tokens  bigint      NOT NULL,
  estimated         boolean     NOT NULL,
  how               text        NOT NULL
                                CHECK (how IN ('completed', 'partial', 'abandoned', 'crash')),
  at                timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (day, request_id)
) PARTITION BY RANGE (day);

-- The sums of each closed day by scope. They stay when the day's settlements are dropped.
CREATE TABLE settlement_rollup (
  day               date   NOT NULL,
  scope_id          text   COLLATE "C" NOT NULL,
  sum_micro         bigint NOT NULL,
  n                 bigint NOT NULL,
  prompt_tokens     bigint NOT NULL DEFAULT 0,
  completion_tokens bigint NOT NULL DEFAULT 0,
  cached_tokens     bigint NOT NULL DEFAULT 0,
  reasoning_tokens  bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (day, scope_id)
);

-- Charges that cannot be settled, kept whole for an operator to decide. No constraint may refuse
-- one.
CREATE TABLE settlement_quarantine (
  id                bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_id        text        NOT NULL UNIQUE,
  org_id            text        NOT NULL,
  key_id            text        NOT NULL,
  holder            text        NOT NULL,
  held              integer     NOT NULL,
  reserved_micro    bigint      NOT NULL,
  cost_micro        bigint      NOT NULL,
  prompt_tokens     bigint      NOT NULL,
  completion_tokens bigint      NOT NULL,
  cached_tokens     bigint      NOT NULL,
  reasoning_tokens  bigint      NOT NULL,
  estimated         boolean     NOT NULL,
  how               text        NOT NULL,
  row               bytea       NOT NULL,
  reason            text        NOT NULL,
  at                timestamptz NOT NULL DEFAULT now()
);

-- How charges left quarantine: settled after all, or dropped, and by which operator. Each is kept
-- whole.
CREATE TABLE quarantine_decision (
  id                bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_id        text        NOT NULL,
  decision          text        NOT NULL CHECK (decision IN ('booked', 'dropped')),
  actor             text        NOT NULL,
  at                timestamptz NOT NULL DEFAULT now(),
  org_id            text        NOT NULL,
  key_id            text        NOT NULL,
  holder            text        NOT NULL,
  held              integer     NOT NULL,
  reserved_micro    bigint      NOT NULL,
  cost_micro        bigint      NOT NULL,
  prompt_tokens     bigint      NOT NULL,
  completion_tokens bigint      NOT NULL,
  cached_tokens     bigint      NOT NULL,
  reasoning_tokens  bigint      NOT NULL,
  estimated         boolean     NOT NULL,
  how               text        NOT NULL,
  row               bytea       NOT NULL,
  reason            text        NOT NULL,
  aside_since       timestamptz NOT NULL
);

CREATE INDEX quarantine_decision_by_request ON quarantine_decision (request_id);

CREATE TRIGGER quarantine_decision_is_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON quarantine_decision
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The identity of this ledger store, as far as a table can hold it: a copy has the same one.
CREATE TABLE books (
  id          integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  incarnation uuid    NOT NULL DEFAULT gen_random_uuid()
);

INSERT INTO books DEFAULT VALUES;

-- How far the journal of each node is settled. kept_from: everything in segments before this one is
-- in the ledger store. batches: of its present epoch, counted in the transaction that settled them.
-- ticked: the number of its last heartbeat, which comes after the grants that it was given. These
-- columns lie in the same database as the settlements, so a restored backup sets both back.
CREATE TABLE node_mark (
  node_id   uuid   PRIMARY KEY,
  epoch     bigint NOT NULL,
  batches   bigint NOT NULL DEFAULT 0,
  ticked    bigint NOT NULL DEFAULT 0,
  kept_from bigint NOT NULL
) WITH (fillfactor = 50);

-- Each time an operator accepted that charges of a node's journal are missing: those in the
-- segments from kept_from to before rebased_to.
CREATE TABLE node_rebase (
  id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  node_id    uuid        NOT NULL,
  kept_from  bigint      NOT NULL,
  rebased_to bigint      NOT NULL,
  actor      text        NOT NULL,
  at         timestamptz NOT NULL DEFAULT now()
);

-- What a node reports of itself, about once a second. owes_since: since when it may have charges
-- that are not settled. number: of its epoch's last report.
CREATE TABLE node_report (
  node_id    uuid        PRIMARY KEY REFERENCES node_epoch (node_id),
  epoch      bigint      NOT NULL,
  number     bigint      NOT NULL,
  owes_since timestamptz NOT NULL
) WITH (fillfactor = 50);

-- What a holder has charged to a lease, reserved of it and may soon want of it, in all since it has
-- the lease.
CREATE TABLE lease_report (
  holder          text   COLLATE "C" NOT NULL,
  scope_id        text   COLLATE "C" NOT NULL,
  committed_micro bigint NOT NULL,
  PRIMARY KEY (holder, scope_id)
) WITH (fillfactor = 50);

-- Each time an operator released a node that was silent. freed_micro: of balances.
CREATE TABLE node_release (
  id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  node_id     uuid        NOT NULL,
  epoch       bigint      NOT NULL,
  silent_for  interval    NOT NULL,
  freed_micro bigint      NOT NULL,
  actor       text        NOT NULL,
  at          timestamptz NOT NULL DEFAULT now()
);

CREATE TRIGGER node_release_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON node_release
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- When one of the nodes audited the ledger store last, and what it found.
CREATE TABLE ledger_audit (
  one        boolean     PRIMARY KEY DEFAULT true CHECK (one),
  at         timestamptz NOT NULL,
  violations bigint      NOT NULL
);
