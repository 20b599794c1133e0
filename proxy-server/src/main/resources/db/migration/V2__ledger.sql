-- The books that all nodes share (docs/ledger.md). Every function below is one call in autocommit.
-- Locks are taken in one order everywhere: the node's row, scope rows by id, leases by scope and
-- holder; inserts come last. Whoever changes a lease holds the lock of its scope's row.

-- A clock of its own, so that tests can set it.
CREATE FUNCTION ledger_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  'SELECT clock_timestamp()';

-- One sum that limits spending. limit_micro: of a balance, what was paid in, kept by a trigger; of
-- a window, the highest limit under which money was granted (null: there was none). beyond_micro:
-- charged without money held for it, because of an overrun, a lost lease or no limit.
CREATE TABLE scope_account (
  scope_id     text   COLLATE "C" PRIMARY KEY,
  org_id       uuid   NOT NULL REFERENCES organization (id),
  key_id       text   REFERENCES api_key (id),
  limit_micro  bigint DEFAULT 0,
  used_micro   bigint NOT NULL DEFAULT 0 CHECK (used_micro >= 0),
  leased_micro bigint NOT NULL DEFAULT 0 CHECK (leased_micro >= 0),
  beyond_micro bigint NOT NULL DEFAULT 0 CHECK (beyond_micro >= 0),
  recall       bigint NOT NULL DEFAULT 0,
  version      bigint NOT NULL DEFAULT 0,
  CHECK ((key_id IS NULL) = starts_with(scope_id, 'org'))
) WITH (fillfactor = 50);

-- A life of a node; the one that is open and matches may spend.
CREATE TABLE node_epoch (
  node_id      uuid        PRIMARY KEY,
  epoch        bigint      NOT NULL CHECK (epoch > 0),
  boot_id      uuid        NOT NULL,
  state        text        NOT NULL CHECK (state IN ('open', 'closed')),
  heartbeat_at timestamptz NOT NULL,
  holder       text        COLLATE "C"
               GENERATED ALWAYS AS ('node:' || node_id::text || ':' || epoch::text) STORED
) WITH (fillfactor = 50);

-- What a holder may spend of a scope. answered: the last recall that it answered. asked: the recall
-- that it began because it was refused, 0 for none.
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
  PRIMARY KEY (holder, scope_id),
  CHECK (0 <= spent_micro AND spent_micro <= granted_micro)
) WITH (fillfactor = 50);

CREATE INDEX lease_open_by_scope ON lease (scope_id) WHERE state = 'open';

-- Exactly one row for each charged request.
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

-- One row for each request that was logged; bodies never.
CREATE TABLE request_log (
  day        date        NOT NULL,
  request_id text        COLLATE "C" NOT NULL,
  org_id     uuid        NOT NULL,
  key_id     text        NOT NULL,
  row        jsonb       NOT NULL,
  at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (day, request_id)
) PARTITION BY RANGE (day);

-- What dropped days were charged.
CREATE TABLE settlement_rollup (
  day       date   NOT NULL,
  scope_id  text   COLLATE "C" NOT NULL,
  sum_micro bigint NOT NULL,
  n         bigint NOT NULL,
  PRIMARY KEY (day, scope_id)
);

-- Charges that cannot be booked, whole, for a person to look at. No constraint may refuse one.
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

-- The four scopes of a payer. Without a SET clause, so that it is inlined.
CREATE FUNCTION ledger_scopes(its_org uuid, its_key text, its_day date)
RETURNS TABLE (kind integer, scope_id text, key_id text) LANGUAGE sql STABLE AS $$
  VALUES (1, 'org:' || its_org, NULL),
         (2, 'orgm:' || its_org || ':' || to_char(its_day, 'YYYY-MM'), NULL),
         (4, 'keyd:' || its_key || ':' || to_char(its_day, 'YYYY-MM-DD'), its_key),
         (8, 'keym:' || its_key || ':' || to_char(its_day, 'YYYY-MM'), its_key)
$$;

-- ---------------------------------------------------------------------------------------------
-- Limits

CREATE FUNCTION ledger_entry_counts() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO scope_account AS a (scope_id, org_id, limit_micro, recall)
  VALUES ('org:' || NEW.org_id, NEW.org_id, NEW.amount_micro, (NEW.amount_micro < 0)::int)
  ON CONFLICT (scope_id) DO UPDATE
    SET limit_micro = a.limit_micro + excluded.limit_micro,
        recall = a.recall + excluded.recall,
        version = a.version + 1;
  RETURN NULL;
END $$;

CREATE TRIGGER ledger_entry_counts AFTER INSERT ON ledger_entry
  FOR EACH ROW EXECUTE FUNCTION ledger_entry_counts();

INSERT INTO scope_account (scope_id, org_id, limit_micro)
SELECT 'org:' || org_id, org_id, sum(amount_micro) FROM ledger_entry GROUP BY org_id;

-- Under a lowered limit the money that nodes hold idle is wanted back.
CREATE FUNCTION ledger_limit_lowered() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  now_utc  timestamp := ledger_now() AT TIME ZONE 'UTC';
  scope    text;
BEGIN
  scope := TG_ARGV[0] || ':' || NEW.id || ':' || to_char(now_utc, TG_ARGV[1]);
  UPDATE scope_account SET recall = recall + 1, version = version + 1 WHERE scope_id = scope;
  RETURN NULL;
END $$;

CREATE TRIGGER organization_month_lowered AFTER UPDATE ON organization FOR EACH ROW
  WHEN (NEW.monthly_limit_micro < coalesce(OLD.monthly_limit_micro, 9223372036854775807))
  EXECUTE FUNCTION ledger_limit_lowered('orgm', 'YYYY-MM');

CREATE TRIGGER api_key_day_lowered AFTER UPDATE ON api_key FOR EACH ROW
  WHEN (NEW.daily_budget_micro < coalesce(OLD.daily_budget_micro, 9223372036854775807))
  EXECUTE FUNCTION ledger_limit_lowered('keyd', 'YYYY-MM-DD');

CREATE TRIGGER api_key_month_lowered AFTER UPDATE ON api_key FOR EACH ROW
  WHEN (NEW.monthly_budget_micro < coalesce(OLD.monthly_budget_micro, 9223372036854775807))
  EXECUTE FUNCTION ledger_limit_lowered('keym', 'YYYY-MM');

-- ---------------------------------------------------------------------------------------------
-- Days

-- Makes a day's partitions. Attaching one does not stop those who write to the others.
CREATE FUNCTION ledger_partition(its_day date) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  parent text;
  child  text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['settlement', 'request_log'] LOOP
    child := parent || '_' || to_char(its_day, 'YYYYMMDD');
    IF to_regclass(child) IS NULL THEN
      PERFORM pg_advisory_xact_lock(7455832);
      IF to_regclass(child) IS NULL THEN
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', child, parent);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                       parent, child, its_day, its_day + 1);
      END IF;
    END IF;
  END LOOP;
END $$;

-- Makes the partitions of yesterday and of the days ahead.
CREATE FUNCTION ledger_partitions(days_ahead integer) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  today date := (ledger_now() AT TIME ZONE 'UTC')::date;
BEGIN
  FOR ahead IN -1 .. days_ahead LOOP
    PERFORM ledger_partition(today + ahead);
  END LOOP;
END $$;

SELECT ledger_partitions(7);

-- Drops the days that are older than so many days, at least 8, and returns them. A day goes only
-- where no node can still have charges of it: each one that is open was heard of on a later day.
CREATE FUNCTION ledger_retain(days integer) RETURNS SETOF date LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  today  date := (ledger_now() AT TIME ZONE 'UTC')::date;
  child  text;
  its_day date;
BEGIN
  PERFORM pg_advisory_xact_lock(7455832);
  FOR child IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'settlement'::regclass ORDER BY c.relname
  LOOP
    its_day := to_date(right(child, 8), 'YYYYMMDD');
    CONTINUE WHEN its_day >= today - greatest(days, 8)
      OR EXISTS (SELECT 1 FROM node_epoch
                  WHERE state = 'open' AND (heartbeat_at AT TIME ZONE 'UTC')::date <= its_day + 1);
    EXECUTE format('LOCK TABLE %I IN SHARE MODE', child);
    INSERT INTO settlement_rollup (day, scope_id, sum_micro, n)
    SELECT its_day, s.scope_id, sum(p.cost), sum(p.n)
      FROM (SELECT org_id, key_id, sum(cost_micro) AS cost, count(*) AS n
              FROM settlement WHERE day = its_day GROUP BY 1, 2) p
     CROSS JOIN LATERAL ledger_scopes(p.org_id, p.key_id, its_day) s
     GROUP BY s.scope_id;
    EXECUTE format('DROP TABLE %I', child);
    EXECUTE format('DROP TABLE IF EXISTS %I', 'request_log_' || right(child, 8));
    RETURN NEXT its_day;
  END LOOP;
  DELETE FROM lease
   WHERE state = 'closed' AND closed_at < ledger_now() - make_interval(days => greatest(days, 8));
END $$;

-- ---------------------------------------------------------------------------------------------
-- Lives of nodes

CREATE FUNCTION ledger_close_leases(first_holder text, end_holder text) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM 1 FROM scope_account
    WHERE scope_id IN (SELECT l.scope_id FROM lease l
                        WHERE l.holder >= first_holder AND l.holder < end_holder
                          AND l.state = 'open')
    ORDER BY scope_id FOR NO KEY UPDATE;
  PERFORM 1 FROM lease
    WHERE holder >= first_holder AND holder < end_holder AND state = 'open'
    ORDER BY scope_id, holder FOR NO KEY UPDATE;
  WITH closed AS (
    UPDATE lease SET state = 'closed', closed_at = ledger_now()
     WHERE holder >= first_holder AND holder < end_holder AND state = 'open'
    RETURNING scope_id, granted_micro - spent_micro AS idle)
  UPDATE scope_account a
     SET leased_micro = a.leased_micro - c.idle, version = a.version + 1
    FROM (SELECT scope_id, sum(idle)::bigint AS idle FROM closed GROUP BY scope_id) c
   WHERE a.scope_id = c.scope_id;
END $$;

-- Begins the next epoch of a node; what the ones before held is free again.
CREATE FUNCTION ledger_open(its_node uuid, its_boot uuid) RETURNS bigint LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  next_epoch bigint;
BEGIN
  -- Grants hold a key share of this row: none of the old epoch is under way after this.
  PERFORM 1 FROM node_epoch WHERE node_id = its_node FOR UPDATE;
  INSERT INTO node_epoch AS n (node_id, epoch, boot_id, state, heartbeat_at)
  VALUES (its_node, 1, its_boot, 'open', ledger_now())
  ON CONFLICT (node_id) DO UPDATE
    SET epoch = n.epoch + 1, boot_id = its_boot, state = 'open', heartbeat_at = ledger_now()
  RETURNING epoch INTO next_epoch;
  PERFORM ledger_close_leases('node:' || its_node || ':', 'node:' || its_node || ';');
  RETURN next_epoch;
END $$;

-- The holder stops: its leases are closed.
CREATE FUNCTION ledger_close(its_node uuid, its_epoch bigint, its_boot uuid) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  its_holder text := 'node:' || its_node || ':' || its_epoch;
BEGIN
  PERFORM 1 FROM node_epoch WHERE node_id = its_node FOR UPDATE;
  UPDATE node_epoch SET state = 'closed'
   WHERE node_id = its_node AND epoch = its_epoch AND boot_id = its_boot;
  PERFORM ledger_close_leases(its_holder, its_holder || '!');
END $$;

-- ---------------------------------------------------------------------------------------------
-- Grants

-- What other living nodes hold of a scope and have not spent.
CREATE FUNCTION ledger_others(its_holder text, its_scope text, at timestamptz)
RETURNS TABLE (answered bigint) LANGUAGE sql STABLE AS $$
  SELECT l.answered FROM lease l JOIN node_epoch n ON n.holder = l.holder
   WHERE l.scope_id = its_scope AND l.state = 'open' AND l.holder <> its_holder
     AND l.granted_micro > l.spent_micro
     AND n.state = 'open' AND n.heartbeat_at > at - interval '60 seconds'
$$;

-- Whether a refused holder may hope: the other nodes are asked once for what they can spare, and
-- the refusal is final when all of them answered. The next refusal asks anew.
CREATE FUNCTION ledger_awaits(its_holder text, its_scope text, at timestamptz) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  present bigint;
BEGIN
  SELECT l.asked INTO present FROM lease l
   WHERE l.holder = its_holder AND l.scope_id = its_scope AND l.state = 'open'
     AND l.asked > 0 AND at - l.asked_at < interval '3 seconds';
  IF FOUND THEN
    IF EXISTS (SELECT 1 FROM ledger_others(its_holder, its_scope, at) o
                WHERE o.answered < present) THEN
      RETURN true;
    END IF;
    UPDATE lease SET asked = 0 WHERE holder = its_holder AND scope_id = its_scope;
    RETURN false;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM ledger_others(its_holder, its_scope, at)) THEN
    RETURN false;
  END IF;
  UPDATE scope_account SET recall = recall + 1, version = version + 1
   WHERE scope_id = its_scope RETURNING recall INTO present;
  -- Who asks need not answer itself; what others had asked it before, it still must.
  INSERT INTO lease AS l (holder, scope_id, answered, asked, asked_at)
  VALUES (its_holder, its_scope, present, present, at)
  ON CONFLICT (holder, scope_id) DO UPDATE
    SET asked = present, asked_at = at,
        answered = CASE WHEN l.answered = present - 1 THEN present ELSE l.answered END;
  RETURN true;
END $$;

-- One row 'fenced', or one 'given' for each want, or one 'short' for each scope that was.
CREATE FUNCTION ledger_grant(
  its_node uuid, its_epoch bigint, its_boot uuid, its_org uuid, its_key text,
  kinds integer[], scopes text[], leasts bigint[], mosts bigint[])
RETURNS TABLE (answer text, scope_id text, amount bigint,
               limit_micro bigint, used_micro bigint, leased_micro bigint, awaits boolean)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  its_holder text := 'node:' || its_node || ':' || its_epoch;
  at         timestamptz := ledger_now();
  limits     bigint[];
  nodes      bigint;
BEGIN
  PERFORM 1 FROM node_epoch
    WHERE node_id = its_node AND epoch = its_epoch AND boot_id = its_boot AND state = 'open'
    FOR KEY SHARE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'fenced', NULL, 0::bigint, 0::bigint, 0::bigint, 0::bigint, false;
    RETURN;
  END IF;
  INSERT INTO scope_account (scope_id, org_id, key_id)
  SELECT w.scope, its_org, CASE WHEN w.kind >= 4 THEN its_key END
    FROM unnest(kinds, scopes) AS w (kind, scope) ORDER BY w.scope COLLATE "C"
  ON CONFLICT DO NOTHING;
  PERFORM 1 FROM scope_account WHERE scope_id = ANY (scopes) ORDER BY scope_id FOR NO KEY UPDATE;
  PERFORM 1 FROM lease WHERE holder = its_holder AND scope_id = ANY (scopes)
    ORDER BY scope_id, holder FOR NO KEY UPDATE;

  SELECT array_agg(CASE w.kind WHEN 1 THEN a.limit_micro
                               WHEN 2 THEN o.monthly_limit_micro
                               WHEN 4 THEN k.daily_budget_micro
                               WHEN 8 THEN k.monthly_budget_micro END ORDER BY w.n)
    INTO limits
    FROM unnest(kinds, scopes) WITH ORDINALITY AS w (kind, scope, n)
    JOIN scope_account a ON a.scope_id = w.scope
    JOIN organization o ON o.id = its_org
    LEFT JOIN api_key k ON k.id = its_key;

  RETURN QUERY
  SELECT 'short', a.scope_id, 0::bigint, w.lim, a.used_micro, a.leased_micro,
         ledger_awaits(its_holder, a.scope_id, at)
    FROM unnest(kinds, scopes, leasts, limits) AS w (kind, scope, least, lim)
    JOIN scope_account a ON a.scope_id = w.scope
   WHERE w.lim - a.used_micro - a.leased_micro < w.least
   ORDER BY w.kind;
  IF FOUND THEN
    RETURN;
  END IF;

  SELECT greatest(count(*), 1) INTO nodes FROM node_epoch
   WHERE state = 'open' AND heartbeat_at > at - interval '60 seconds';
  RETURN QUERY
  WITH given AS MATERIALIZED (
    SELECT w.n, a.scope_id, a.recall, w.lim, w.kind,
           CASE WHEN w.lim IS NULL THEN w.most
                ELSE least(w.most, greatest(
                       (w.lim - a.used_micro - a.leased_micro) / (2 * nodes), w.least))
           END AS amount
      FROM unnest(kinds, scopes, leasts, mosts, limits) WITH ORDINALITY
             AS w (kind, scope, least, most, lim, n)
      JOIN scope_account a ON a.scope_id = w.scope),
  leased AS (
    INSERT INTO lease AS l (holder, scope_id, granted_micro, answered)
    SELECT its_holder, g.scope_id, g.amount, g.recall FROM given g ORDER BY g.scope_id
    ON CONFLICT (holder, scope_id) DO UPDATE
      SET granted_micro = l.granted_micro + excluded.granted_micro,
          asked = 0, state = 'open', closed_at = NULL),
  accounts AS (
    UPDATE scope_account a
       SET leased_micro = a.leased_micro + g.amount,
           limit_micro = CASE WHEN g.kind = 1 THEN a.limit_micro
                              WHEN g.lim IS NULL THEN NULL
                              WHEN a.limit_micro IS NULL THEN NULL
                              ELSE greatest(a.limit_micro, g.lim) END,
           version = a.version + 1
      FROM given g WHERE a.scope_id = g.scope_id)
  SELECT 'given', g.scope_id, g.amount, g.lim, 0::bigint, 0::bigint, false
    FROM given g ORDER BY g.n;
END $$;

-- One row 'fenced', or 'alive', with a further row for each recall that was not answered.
CREATE FUNCTION ledger_tick(
  its_node uuid, its_epoch bigint, its_boot uuid,
  scopes text[], amounts bigint[], recalls bigint[])
RETURNS TABLE (answer text, bank_millis bigint, scope_id text, recall bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  its_holder text := 'node:' || its_node || ':' || its_epoch;
  at         timestamptz := ledger_now();
  millis     bigint := floor(extract(epoch FROM at) * 1000);
BEGIN
  UPDATE node_epoch SET heartbeat_at = greatest(heartbeat_at, at)
   WHERE node_id = its_node AND epoch = its_epoch AND boot_id = its_boot AND state = 'open';
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'fenced', millis, NULL, 0::bigint;
    RETURN;
  END IF;
  IF cardinality(scopes) > 0 THEN
    PERFORM 1 FROM scope_account WHERE scope_id = ANY (scopes) ORDER BY scope_id FOR NO KEY UPDATE;
    PERFORM 1 FROM lease WHERE holder = its_holder AND scope_id = ANY (scopes)
      ORDER BY scope_id, holder FOR NO KEY UPDATE;
    WITH back AS MATERIALIZED (
      SELECT l.scope_id, least(b.amount, l.granted_micro - l.spent_micro) AS amount,
             greatest(l.answered, least(b.recall, a.recall)) AS answered
        FROM (SELECT g.scope, sum(greatest(g.amount, 0))::bigint AS amount, max(g.recall) AS recall
                FROM unnest(scopes, amounts, recalls) AS g (scope, amount, recall)
               GROUP BY g.scope) b
        JOIN lease l ON l.holder = its_holder AND l.scope_id = b.scope AND l.state = 'open'
        JOIN scope_account a ON a.scope_id = l.scope_id),
    leases AS (
      UPDATE lease l
         SET granted_micro = l.granted_micro - b.amount, answered = b.answered
        FROM back b WHERE l.holder = its_holder AND l.scope_id = b.scope_id)
    UPDATE scope_account a
       SET leased_micro = a.leased_micro - b.amount, version = a.version + 1
      FROM back b WHERE a.scope_id = b.scope_id AND b.amount > 0;
  END IF;
  RETURN QUERY SELECT 'alive', millis, NULL, 0::bigint;
  RETURN QUERY
  SELECT 'alive', millis, a.scope_id, a.recall
    FROM lease l JOIN scope_account a ON a.scope_id = l.scope_id
   WHERE l.holder = its_holder AND l.state = 'open' AND l.granted_micro > l.spent_micro
     AND l.answered < a.recall
   ORDER BY a.scope_id;
END $$;

-- ---------------------------------------------------------------------------------------------
-- Charges

-- Books charges, each once; only rows that were really inserted are summed. Returns by how much
-- leases grew because more was spent than they held.
CREATE FUNCTION ledger_settle(
  its_holder text, days date[], requests text[], orgs uuid[], keys text[], helds integer[],
  reserveds bigint[], costs bigint[], prompts bigint[], completions bigint[], cacheds bigint[],
  reasonings bigint[], estimateds boolean[], hows text[], rows text[])
RETURNS TABLE (scope_id text, overrun bigint) LANGUAGE plpgsql
SET search_path FROM CURRENT
-- A plan made while the tables were small must not be kept.
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
  today  date := (ledger_now() AT TIME ZONE 'UTC')::date;
  scopes text[];
BEGIN
  -- A young day was never dropped. For an old one there may be no partition: the row is refused.
  PERFORM ledger_partition(d.day) FROM (SELECT DISTINCT unnest(days) AS day) d
    WHERE d.day BETWEEN today - 8 AND today + 8;

  WITH payer AS MATERIALIZED (
    SELECT DISTINCT p.org, p.key, p.day FROM unnest(orgs, keys, days) AS p (org, key, day)),
  wanted AS MATERIALIZED (
    SELECT DISTINCT s.scope_id COLLATE "C" AS scope_id, p.org, s.key_id
      FROM payer p CROSS JOIN LATERAL ledger_scopes(p.org, p.key, p.day) s),
  made AS (
    INSERT INTO scope_account (scope_id, org_id, key_id)
    SELECT w.scope_id, w.org, w.key_id FROM wanted w
     WHERE NOT EXISTS (SELECT 1 FROM scope_account a WHERE a.scope_id = w.scope_id)
     ORDER BY w.scope_id
    ON CONFLICT DO NOTHING)
  SELECT array_agg(w.scope_id) INTO scopes FROM wanted w;
  PERFORM 1 FROM scope_account WHERE scope_id = ANY (scopes) ORDER BY scope_id FOR NO KEY UPDATE;
  PERFORM 1 FROM lease WHERE holder = its_holder AND scope_id = ANY (scopes) AND state = 'open'
    ORDER BY scope_id, holder FOR NO KEY UPDATE;

  RETURN QUERY
  WITH booked AS (
    INSERT INTO settlement (
      day, request_id, org_id, key_id, holder, held, reserved_micro, cost_micro, overrun_micro,
      prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated, how)
    SELECT b.day, b.request, b.org, b.key, its_holder, b.held, b.reserved, b.cost,
           greatest(b.cost - b.reserved, 0), b.prompt, b.completion, b.cached, b.reasoning,
           b.estimated, b.how
      FROM unnest(days, requests, orgs, keys, helds, reserveds, costs, prompts, completions,
                  cacheds, reasonings, estimateds, hows)
             AS b (day, request, org, key, held, reserved, cost, prompt, completion, cached,
                   reasoning, estimated, how)
    ON CONFLICT DO NOTHING
    RETURNING day, request_id, org_id, key_id, held, cost_micro),
  logged AS (
    INSERT INTO request_log (day, request_id, org_id, key_id, row)
    SELECT b.day, b.request_id, b.org_id, b.key_id, r.line::jsonb
      FROM booked b JOIN unnest(requests, rows) AS r (request, line) ON r.request = b.request_id
     WHERE r.line IS NOT NULL
    ON CONFLICT DO NOTHING),
  payers AS (
    SELECT b.org_id, b.key_id, b.day, b.held, sum(b.cost_micro) AS cost
      FROM booked b GROUP BY 1, 2, 3, 4),
  charged AS (
    SELECT s.scope_id COLLATE "C" AS scope_id, sum(p.cost)::bigint AS cost,
           coalesce(sum(p.cost) FILTER (WHERE p.held & s.kind <> 0), 0)::bigint AS held
      FROM payers p CROSS JOIN LATERAL ledger_scopes(p.org_id, p.key_id, p.day) s
     GROUP BY 1),
  effect AS MATERIALIZED (
    SELECT c.scope_id, c.cost, c.held, l.holder IS NOT NULL AS leased,
           CASE WHEN l.holder IS NULL THEN 0
                ELSE least(l.granted_micro - l.spent_micro, c.held) END AS covered
      FROM charged c
      LEFT JOIN lease l ON l.holder = its_holder AND l.scope_id = c.scope_id AND l.state = 'open'),
  leases AS (
    UPDATE lease l
       SET spent_micro = l.spent_micro + e.held,
           granted_micro = l.granted_micro + e.held - e.covered
      FROM effect e
     WHERE l.holder = its_holder AND l.scope_id = e.scope_id AND e.leased AND e.held > 0),
  accounts AS (
    UPDATE scope_account a
       SET used_micro = a.used_micro + e.cost,
           leased_micro = a.leased_micro - e.covered,
           beyond_micro = a.beyond_micro + e.cost - e.covered,
           version = a.version + 1
      FROM effect e WHERE a.scope_id = e.scope_id)
  SELECT e.scope_id::text, e.held - e.covered FROM effect e
   WHERE e.leased AND e.held > e.covered ORDER BY e.scope_id;
END $$;
