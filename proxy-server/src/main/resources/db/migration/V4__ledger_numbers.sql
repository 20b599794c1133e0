-- What a lease holds is its base, which grants raise and statements lower, and its overrun, which
-- settlements raise. Both are said absolutely, so that an answer that was lost on its way is made
-- good by the next. Every grant and tick of a holder has a number: called is the highest that
-- changed a lease, stated the highest that stated its base.
ALTER TABLE lease
  ADD COLUMN overrun_micro bigint NOT NULL DEFAULT 0,
  ADD COLUMN called        bigint NOT NULL DEFAULT 0,
  ADD COLUMN stated        bigint NOT NULL DEFAULT 0,
  ADD COLUMN asked_call    bigint NOT NULL DEFAULT 0,
  ADD COLUMN answered_call bigint NOT NULL DEFAULT 0,
  ADD CHECK (0 <= overrun_micro AND overrun_micro <= granted_micro);

-- Most scopes were never recalled: a tick looks at the few that were, and not at all of its leases.
CREATE INDEX scope_account_recalled ON scope_account (scope_id) WHERE recall > 0;

-- Lowers leases to the bases that their holder states, -1 for none; what was spent stays, and is an
-- overrun where it is more. One that was called with this number or a later one is left as it is.
-- Whoever calls this holds the locks of the scopes and of the leases that there are.
CREATE FUNCTION ledger_state(
  its_holder text, its_number bigint, at timestamptz,
  scopes text[], bases bigint[], recalls bigint[], lasts boolean[])
RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  -- Also where there is no lease yet: the number must keep away what was asked before.
  INSERT INTO lease (holder, scope_id, answered)
  SELECT its_holder, a.scope_id, a.recall
    FROM unnest(scopes, bases) AS s (scope, base) JOIN scope_account a ON a.scope_id = s.scope
   WHERE s.base >= 0 ORDER BY a.scope_id
  ON CONFLICT DO NOTHING;
  WITH said AS MATERIALIZED (
    SELECT l.scope_id, l.granted_micro AS before, l.overrun_micro AS overrun, l.spent_micro AS spent,
           least(s.base, l.granted_micro - l.overrun_micro) AS base,
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

DROP FUNCTION ledger_awaits(text, text, timestamptz);

-- Whether a refused holder may hope: the other nodes are asked for what they can spare, and the
-- refusal is final when all of them answered to a call of the number its_since or a later one. What
-- is asked for a request that came later does not keep those waiting that have their answer.
CREATE FUNCTION ledger_awaits(
  its_holder text, its_scope text, at timestamptz, its_number bigint, its_since bigint)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  present   bigint;
  began     bigint;
  heard     bigint;
  under_way boolean;
  ended     boolean := false;
BEGIN
  SELECT l.asked, l.asked_call, l.answered_call,
         l.asked > 0 AND at - l.asked_at < interval '3 seconds'
    INTO present, began, heard, under_way
    FROM lease l
   WHERE l.holder = its_holder AND l.scope_id = its_scope AND l.state = 'open';
  IF under_way AND NOT EXISTS (SELECT 1 FROM ledger_others(its_holder, its_scope, at) o
                                WHERE o.answered < present) THEN
    ended := true;
    heard := began;
    UPDATE lease l SET asked = 0, answered_call = began
     WHERE l.holder = its_holder AND l.scope_id = its_scope;
  END IF;
  IF (its_since = 0 AND ended) OR (its_since > 0 AND coalesce(heard, 0) >= its_since) THEN
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
  -- Who asks need not answer itself; what others had asked it before, it still must.
  INSERT INTO lease AS l (holder, scope_id, answered, asked, asked_at, asked_call)
  VALUES (its_holder, its_scope, present, present, at, its_number)
  ON CONFLICT (holder, scope_id) DO UPDATE
    SET asked = present, asked_at = at, asked_call = its_number,
        answered = CASE WHEN l.answered = present - 1 THEN present ELSE l.answered END;
  RETURN true;
END $$;

DROP FUNCTION ledger_grant(
  uuid, bigint, uuid, uuid, text, integer[], text[], bigint[], bigint[]);

-- One row 'fenced' or 'stale', or one 'given' for each want, or one 'short' for each scope that was.
-- helds: the bases to state before anything is granted, -1 for none.
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
    -- One that its holder had said its last of begins anew.
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

DROP FUNCTION ledger_tick(uuid, bigint, uuid, text[], bigint[], bigint[]);

-- One row 'fenced', or 'alive', with a further row for each recall that was not answered, and one
-- 'overran' for each lease that was stated and had grown in all because more was spent.
CREATE FUNCTION ledger_tick(
  its_node uuid, its_epoch bigint, its_boot uuid, its_number bigint,
  orgs uuid[], keys text[], scopes text[], bases bigint[], recalls bigint[], lasts boolean[])
RETURNS TABLE (
  answer text, bank_millis bigint, scope_id text, recall bigint, overrun bigint)
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
    SELECT a.scope_id, a.recall FROM scope_account a WHERE a.recall > 0)
  SELECT 'alive', millis, a.scope_id, a.recall, 0::bigint
    FROM recalled a JOIN lease l ON l.holder = its_holder AND l.scope_id = a.scope_id
   WHERE l.state = 'open' AND l.granted_micro > l.spent_micro AND l.answered < a.recall
   ORDER BY a.scope_id;
  RETURN QUERY
  SELECT 'overran', millis, l.scope_id, 0::bigint, l.overrun_micro FROM lease l
   WHERE l.holder = its_holder AND l.scope_id = ANY (scopes) AND l.state = 'open'
     AND l.overrun_micro > 0
   ORDER BY l.scope_id;
END $$;

-- Waits until nobody closes or drops a day, and keeps them from beginning to.
CREATE FUNCTION ledger_await_day(its_day date) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  child text := 'settlement_' || to_char(its_day, 'YYYYMMDD');
BEGIN
  IF to_regclass(child) IS NOT NULL THEN
    EXECUTE format('LOCK TABLE %I IN ROW EXCLUSIVE MODE', child);
  END IF;
END $$;

-- Books charges, each once; only rows that were really inserted are summed. Returns by how much in
-- all the leases of the batch's scopes grew because more was spent than they held, also where every
-- row was sent before.
CREATE OR REPLACE FUNCTION ledger_settle(
  its_holder text, days date[], requests text[], orgs uuid[], keys text[], helds integer[],
  reserveds bigint[], costs bigint[], prompts bigint[], completions bigint[], cacheds bigint[],
  reasonings bigint[], estimateds boolean[], hows text[], rows text[])
RETURNS TABLE (scope_id text, overrun bigint) LANGUAGE plpgsql
SET search_path FROM CURRENT
-- A plan made while the tables were small must not be kept.
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
  today    date := (ledger_now() AT TIME ZONE 'UTC')::date;
  its_days date[];
  scopes   text[];
  overran  text[];
  overruns bigint[];
BEGIN
  SELECT array_agg(d.day ORDER BY d.day) INTO its_days
    FROM (SELECT DISTINCT unnest(days) AS day) d;
  -- A young day was never dropped. For an old one there may be no partition: the row is refused.
  PERFORM ledger_partition(d.day) FROM unnest(its_days) AS d (day)
    WHERE d.day BETWEEN today - 8 AND today + 8;
  -- Who closes or drops a day is waited for here, while nothing is held that a grant needs.
  LOCK TABLE ONLY settlement, ONLY request_log IN ROW EXCLUSIVE MODE;
  IF its_days[1] < today THEN
    PERFORM ledger_await_day(d.day) FROM unnest(its_days) AS d (day) WHERE d.day < today;
  END IF;

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
  SELECT array_agg(l.scope_id), array_agg(l.overrun_micro) INTO overran, overruns
    FROM (SELECT scope_id, overrun_micro FROM lease
           WHERE holder = its_holder AND scope_id = ANY (scopes) AND state = 'open'
           ORDER BY scope_id, holder FOR NO KEY UPDATE) l
   WHERE l.overrun_micro > 0;

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
    SELECT b.day, b.request_id, b.org_id, b.key_id, r.line::json
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
    SELECT c.scope_id, c.cost, c.held, l.holder IS NOT NULL AS leased, l.overrun_micro AS overrun,
           CASE WHEN l.holder IS NULL THEN 0
                ELSE least(l.granted_micro - l.spent_micro, c.held) END AS covered
      FROM charged c
      LEFT JOIN lease l ON l.holder = its_holder AND l.scope_id = c.scope_id AND l.state = 'open'),
  leases AS (
    UPDATE lease l
       SET spent_micro = l.spent_micro + e.held,
           granted_micro = l.granted_micro + e.held - e.covered,
           overrun_micro = l.overrun_micro + e.held - e.covered
      FROM effect e
     WHERE l.holder = its_holder AND l.scope_id = e.scope_id AND e.leased AND e.held > 0),
  accounts AS (
    UPDATE scope_account a
       SET used_micro = a.used_micro + e.cost,
           leased_micro = a.leased_micro - e.covered,
           beyond_micro = a.beyond_micro + e.cost - e.covered,
           version = a.version + 1
      FROM effect e WHERE a.scope_id = e.scope_id)
  SELECT o.scope_id::text, o.overrun
    FROM (SELECT e.scope_id, e.overrun + e.held - e.covered AS overrun
            FROM effect e WHERE e.leased AND e.overrun + e.held > e.covered
          UNION ALL
          SELECT r.scope_id COLLATE "C", r.overrun
            FROM unnest(overran, overruns) AS r (scope_id, overrun)
           WHERE NOT EXISTS (SELECT 1 FROM effect e WHERE e.scope_id = r.scope_id)) o
   ORDER BY o.scope_id;
END $$;

-- Under a lowered limit the money that nodes hold idle is wanted back, also of a window that is
-- about to begin: its leases were granted before.
CREATE OR REPLACE FUNCTION ledger_limit_lowered() RETURNS trigger LANGUAGE plpgsql
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
