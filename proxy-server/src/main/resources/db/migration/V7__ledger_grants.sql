-- expand
-- The ledger store: limits, leases and heartbeats. Every function is one call in autocommit. Locks
-- are taken in one order everywhere: the node's row, scope rows by id, leases by scope and holder;
-- inserts come last. A transaction that changes a lease holds the lock of its scope's row.

-- ---------------------------------------------------------------------------------------------
-- Limits

-- Adds a ledger entry to the balance of its organization, and recalls idle money if it lowers it.
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

-- Recalls the money that nodes hold idle under a limit that was lowered, also of a window that is
-- about to begin: its leases were granted before.
CREATE FUNCTION ledger_limit_lowered() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  now_utc timestamp := ledger_now() AT TIME ZONE 'UTC';
  scopes  text[];
BEGIN
  SELECT array_agg(TG_ARGV[0] || ':' || NEW.id || ':' || to_char(t.at, TG_ARGV[1])) INTO scopes
    FROM (VALUES (now_utc), (now_utc + interval '1 minute')) AS t (at);
  PERFORM 1 FROM scope_account WHERE scope_id = ANY (scopes) ORDER BY scope_id FOR NO KEY UPDATE;
  UPDATE scope_account SET recall = recall + 1, version = version + 1
   WHERE scope_id = ANY (scopes);
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
-- Epochs

-- Closes the open leases of holders in a range; their idle money is free again.
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

-- Begins the next epoch of a node; the leases of its earlier epochs are closed.
CREATE FUNCTION ledger_open(its_node uuid, its_boot uuid) RETURNS bigint LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  next_epoch bigint;
BEGIN
  -- Grants hold a key share of this row: no grant of the old epoch is under way after this.
  PERFORM 1 FROM node_epoch WHERE node_id = its_node FOR UPDATE;
  INSERT INTO node_epoch AS n (node_id, epoch, boot_id, state, heartbeat_at)
  VALUES (its_node, 1, its_boot, 'open', ledger_now())
  ON CONFLICT (node_id) DO UPDATE
    SET epoch = n.epoch + 1, boot_id = its_boot, state = 'open', heartbeat_at = ledger_now()
  RETURNING epoch INTO next_epoch;
  PERFORM ledger_close_leases('node:' || its_node || ':', 'node:' || its_node || ';');
  RETURN next_epoch;
END $$;

-- Closes a node's epoch and its leases.
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

-- Takes the right to spend from a node's present epoch, and closes at most the given number of its leases;
-- returns how many. its_epoch, its_boot: only of this epoch; null: of any. Leases that are left
-- keep their money reserved, as those of a node that is lost. A node may have some 100,000 leases;
-- in one transaction they would take longer than a session may, and all others would wait for their
-- rows.
CREATE FUNCTION ledger_let_go(its_node uuid, its_epoch bigint, its_boot uuid, most integer)
RETURNS integer LANGUAGE plpgsql SET search_path FROM CURRENT
-- A plan that was made while the tables were small must not be kept.
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  holders text := 'node:' || its_node || ':' || coalesce(its_epoch::text, '');
  behind  text := holders || CASE WHEN its_epoch IS NULL THEN ';' ELSE '!' END;
  scopes  text[];
BEGIN
  -- Grants hold a key share of this row: no grant of that epoch is under way after this.
  PERFORM 1 FROM node_epoch WHERE node_id = its_node FOR UPDATE;
  UPDATE node_epoch SET state = 'lost'
   WHERE node_id = its_node AND state = 'open'
     AND (its_epoch IS NULL OR (epoch = its_epoch AND boot_id = its_boot));
  SELECT array_agg(l.scope_id) INTO scopes
    FROM (SELECT scope_id FROM lease
           WHERE holder >= holders AND holder < behind AND state = 'open'
           ORDER BY holder, scope_id LIMIT most) l;
  IF scopes IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM 1 FROM scope_account WHERE scope_id = ANY (scopes) ORDER BY scope_id FOR NO KEY UPDATE;
  WITH ended AS (
    UPDATE lease SET state = 'closed', closed_at = ledger_now()
     WHERE holder >= holders AND holder < behind AND scope_id = ANY (scopes) AND state = 'open'
    RETURNING scope_id, granted_micro - spent_micro AS idle)
  UPDATE scope_account a
     SET leased_micro = a.leased_micro - e.idle, version = a.version + 1
    FROM (SELECT scope_id, sum(idle)::bigint AS idle FROM ended GROUP BY scope_id) e
   WHERE a.scope_id = e.scope_id AND e.idle <> 0;
  RETURN cardinality(scopes);
END $$;

-- ---------------------------------------------------------------------------------------------
-- Grants

-- The recalls that other live nodes answered, of those that hold idle money of a scope.
CREATE FUNCTION ledger_others(its_holder text, its_scope text, at timestamptz)
RETURNS TABLE (answered bigint) LANGUAGE sql STABLE AS $$
  SELECT l.answered FROM lease l JOIN node_epoch n ON n.holder = l.holder
   WHERE l.scope_id = its_scope AND l.state = 'open' AND l.holder LIKE 'node:%'
     AND l.holder <> its_holder AND l.granted_micro > l.spent_micro
     AND n.state = 'open' AND n.heartbeat_at > at - interval '60 seconds'
$$;

-- Whether a refused holder may hope for money: the other nodes are asked for idle money, and the
-- refusal is final when all of them answered to a call of the number its_since or a later one. A
-- recall that is begun for a later request does not keep waiting those whose recall was answered.
CREATE FUNCTION ledger_awaits(
  its_holder text, its_scope text, at timestamptz, its_number bigint, its_since bigint)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  present   bigint;
  began     bigint;
  confirmed bigint;
  under_way boolean;
  ended     boolean := false;
BEGIN
  SELECT l.asked, l.asked_call, l.answered_call,
         l.asked > 0 AND at - l.asked_at < interval '3 seconds'
    INTO present, began, confirmed, under_way
    FROM lease l
   WHERE l.holder = its_holder AND l.scope_id = its_scope AND l.state = 'open';
  IF under_way AND NOT EXISTS (SELECT 1 FROM ledger_others(its_holder, its_scope, at) o
                                WHERE o.answered < present) THEN
    ended := true;
    confirmed := began;
    UPDATE lease l SET asked = 0, answered_call = began
     WHERE l.holder = its_holder AND l.scope_id = its_scope;
  END IF;
  IF (its_since = 0 AND ended) OR (its_since > 0 AND coalesce(confirmed, 0) >= its_since) THEN
    RETURN false;
  END IF;
  IF under_way AND NOT ended THEN
    RETURN true;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM ledger_others(its_holder, its_scope, at)) THEN
    RETURN false;
  END IF;
  UPDATE scope_account SET recall = recall + 1, version = version + 1
   WHERE scope_id = its_scope RETURNING recall INTO present;
  -- The holder need not answer its own recall; earlier recalls of others it still must answer.
  INSERT INTO lease AS l (holder, scope_id, answered, asked, asked_at, asked_call)
  VALUES (its_holder, its_scope, present, present, at, its_number)
  ON CONFLICT (holder, scope_id) DO UPDATE
    SET asked = present, asked_at = at, asked_call = its_number,
        answered = CASE WHEN l.answered = present - 1 THEN present ELSE l.answered END;
  RETURN true;
END $$;

-- Lowers leases to the bases that their holder states, -1 for none. Spent money stays, and is an
-- overrun where it is more. A lease that was called with this number or a later one is left as it
-- is. The caller holds the locks of the scopes and of the leases that there are.
CREATE FUNCTION ledger_state(
  its_holder text, its_number bigint, at timestamptz,
  scopes text[], bases bigint[], recalls bigint[], lasts boolean[])
RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  -- Also where there is no lease yet: its number must keep off calls that were made before.
  INSERT INTO lease (holder, scope_id, answered)
  SELECT its_holder, a.scope_id, a.recall
    FROM unnest(scopes, bases) AS s (scope, base) JOIN scope_account a ON a.scope_id = s.scope
   WHERE s.base >= 0 ORDER BY a.scope_id
  ON CONFLICT DO NOTHING;
  WITH said AS MATERIALIZED (
    SELECT l.scope_id, l.granted_micro AS before, l.overrun_micro AS overrun,
           l.spent_micro AS spent, least(s.base, l.granted_micro - l.overrun_micro) AS base,
           greatest(l.answered, least(s.recall, a.recall)) AS answered, s.last
      FROM (SELECT DISTINCT ON (b.scope) b.scope, b.base, b.recall, b.last
              FROM unnest(scopes, bases, recalls, lasts) WITH ORDINALITY
                     AS b (scope, base, recall, last, n)
             WHERE b.base >= 0 ORDER BY b.scope, b.n) s
      JOIN lease l ON l.holder = its_holder AND l.scope_id = s.scope AND l.called < its_number
      JOIN scope_account a ON a.scope_id = l.scope_id),
  lowered AS MATERIALIZED (
    SELECT s.*, greatest(s.base + s.overrun, s.spent) AS after FROM said s),
  leases AS (
    UPDATE lease l
       SET granted_micro = s.after, overrun_micro = s.after - s.base, answered = s.answered,
           called = its_number, stated = its_number,
           state = CASE WHEN s.last AND s.after = s.spent THEN 'closed' ELSE l.state END,
           closed_at = CASE WHEN s.last AND s.after = s.spent THEN at ELSE l.closed_at END
      FROM lowered s WHERE l.holder = its_holder AND l.scope_id = s.scope_id)
  UPDATE scope_account a
     SET leased_micro = a.leased_micro - (s.before - s.after), version = a.version + 1
    FROM lowered s WHERE a.scope_id = s.scope_id AND s.after < s.before;
END $$;

-- Grants money: one row 'fenced' or 'stale', or one 'given' for each want, or one 'short' for each
-- scope that has not enough. helds: the bases to state before the grant, -1 for none.
CREATE FUNCTION ledger_grant(
  its_node uuid, its_epoch bigint, its_boot uuid, its_number bigint, is_awaited boolean,
  its_since bigint,
  its_org uuid, its_key text,
  kinds integer[], scopes text[], leasts bigint[], mosts bigint[], helds bigint[])
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
  IF EXISTS (SELECT 1 FROM lease
              WHERE holder = its_holder AND scope_id = ANY (scopes) AND stated >= its_number) THEN
    RETURN QUERY SELECT 'stale', NULL, 0::bigint, 0::bigint, 0::bigint, 0::bigint, false;
    RETURN;
  END IF;
  IF 0 <= ANY (helds) THEN
    PERFORM ledger_state(its_holder, its_number, at, scopes, helds,
                         array_fill(0::bigint, ARRAY[cardinality(scopes)]),
                         array_fill(false, ARRAY[cardinality(scopes)]));
  END IF;

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
         is_awaited AND ledger_awaits(its_holder, a.scope_id, at, its_number, its_since)
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
    INSERT INTO lease AS l (holder, scope_id, granted_micro, answered, called)
    SELECT its_holder, g.scope_id, g.amount, g.recall, its_number FROM given g ORDER BY g.scope_id
    -- A lease that its holder had closed begins anew.
    ON CONFLICT (holder, scope_id) DO UPDATE
      SET granted_micro = excluded.granted_micro
                          + CASE WHEN l.state = 'open' THEN l.granted_micro ELSE 0 END,
          spent_micro = CASE WHEN l.state = 'open' THEN l.spent_micro ELSE 0 END,
          overrun_micro = CASE WHEN l.state = 'open' THEN l.overrun_micro ELSE 0 END,
          called = greatest(l.called, excluded.called),
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

-- ---------------------------------------------------------------------------------------------
-- Heartbeats

-- Takes a node's heartbeat: one row 'fenced', or 'alive', with a further row 'alive' for each
-- recall of the last hour that the node did not answer, one 'overran' for each stated lease that
-- grew in all because more was spent than it held, and one 'closed' for each stated lease that is
-- closed. A holder forgets a lease when the answer is 'closed', not when it states its last base: a
-- charge to it may not be settled yet. A recall is announced for an hour only: a refused request
-- waits for a second, and idle money comes back without a recall in a minute, so older recalls are
-- of no use.
CREATE FUNCTION ledger_tick(
  its_node uuid, its_epoch bigint, its_boot uuid, its_number bigint,
  orgs uuid[], keys text[], scopes text[], bases bigint[], recalls bigint[], lasts boolean[])
RETURNS TABLE (
  answer text, bank_millis bigint, scope_id text, recall bigint, overrun bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT
-- Ten times a second on every node: never scan a whole table, whatever size the plan assumes.
SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  its_holder text := 'node:' || its_node || ':' || its_epoch;
  at         timestamptz := ledger_now();
  millis     bigint := floor(extract(epoch FROM at) * 1000);
BEGIN
  UPDATE node_epoch SET heartbeat_at = greatest(heartbeat_at, at)
   WHERE node_id = its_node AND epoch = its_epoch AND boot_id = its_boot AND state = 'open';
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'fenced', millis, NULL, 0::bigint, 0::bigint;
    RETURN;
  END IF;
  IF cardinality(scopes) > 0 THEN
    INSERT INTO scope_account (scope_id, org_id, key_id)
    SELECT s.scope, s.org, CASE WHEN starts_with(s.scope, 'key') THEN s.key END
      FROM unnest(scopes, orgs, keys) AS s (scope, org, key)
     WHERE NOT EXISTS (SELECT 1 FROM scope_account a WHERE a.scope_id = s.scope)
     ORDER BY s.scope COLLATE "C"
    ON CONFLICT DO NOTHING;
    PERFORM 1 FROM scope_account WHERE scope_id = ANY (scopes) ORDER BY scope_id FOR NO KEY UPDATE;
    PERFORM 1 FROM lease WHERE holder = its_holder AND scope_id = ANY (scopes)
      ORDER BY scope_id, holder FOR NO KEY UPDATE;
    PERFORM ledger_state(its_holder, its_number, at, scopes, bases, recalls, lasts);
  END IF;
  RETURN QUERY SELECT 'alive', millis, NULL, 0::bigint, 0::bigint;
  RETURN QUERY
  WITH recalled AS MATERIALIZED (
    SELECT a.scope_id, a.recall FROM scope_account a
     WHERE a.recalled_at > at - interval '1 hour'
     ORDER BY a.recalled_at DESC LIMIT 10000)
  SELECT 'alive', millis, a.scope_id, a.recall, 0::bigint
    FROM recalled a JOIN lease l ON l.holder = its_holder AND l.scope_id = a.scope_id
   WHERE l.state = 'open' AND l.granted_micro > l.spent_micro AND l.answered < a.recall
   ORDER BY a.scope_id;
  RETURN QUERY
  SELECT 'overran', millis, l.scope_id, 0::bigint, l.overrun_micro FROM lease l
   WHERE l.holder = its_holder AND l.scope_id = ANY (scopes) AND l.state = 'open'
     AND l.overrun_micro > 0
   ORDER BY l.scope_id;
  RETURN QUERY
  SELECT 'closed', millis, l.scope_id, 0::bigint, 0::bigint FROM lease l
   WHERE l.holder = its_holder AND l.scope_id = ANY (scopes) AND l.state = 'closed'
   ORDER BY l.scope_id;
END $$;
