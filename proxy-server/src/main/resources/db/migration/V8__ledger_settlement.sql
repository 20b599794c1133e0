-- expand
-- The ledger store: days and settlement. Every function is one call in autocommit; locks are taken
-- in the order that V7__ledger_grants.sql names.

-- ---------------------------------------------------------------------------------------------
-- Days. A day is closed when its sums are made; a charge that is settled later adds itself to them.

-- Makes a day's partitions. Attaching one does not stop writers to the others.
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

-- Makes the partitions of yesterday, of today and of the days ahead.
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

-- The days that are stored.
CREATE FUNCTION ledger_days(parent text) RETURNS TABLE (day date, closed boolean)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT to_date(right(c.relname, 8), 'YYYYMMDD'),
         EXISTS (SELECT 1 FROM pg_trigger t
                  WHERE t.tgrelid = c.oid AND t.tgname = 'settlement_late')
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent = parent::regclass
$$;

-- Waits until no transaction closes or drops a day, and keeps others from beginning to.
CREATE FUNCTION ledger_await_day(its_day date) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  child text := 'settlement_' || to_char(its_day, 'YYYYMMDD');
BEGIN
  IF to_regclass(child) IS NOT NULL THEN
    EXECUTE format('LOCK TABLE %I IN ROW EXCLUSIVE MODE', child);
  END IF;
END $$;

-- Adds a late charge to the sums of its day. The settling transaction holds the rows of its scopes,
-- so two of them never meet here.
CREATE FUNCTION ledger_late() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO settlement_rollup AS r
    (day, scope_id, sum_micro, n, prompt_tokens, completion_tokens, cached_tokens,
     reasoning_tokens)
  SELECT NEW.day, s.scope_id, NEW.cost_micro, 1, NEW.prompt_tokens, NEW.completion_tokens,
         NEW.cached_tokens, NEW.reasoning_tokens
    FROM ledger_scopes(NEW.org_id, NEW.key_id, NEW.day) s
  ON CONFLICT (day, scope_id) DO UPDATE
    SET sum_micro = r.sum_micro + excluded.sum_micro,
        n = r.n + 1,
        prompt_tokens = r.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = r.completion_tokens + excluded.completion_tokens,
        cached_tokens = r.cached_tokens + excluded.cached_tokens,
        reasoning_tokens = r.reasoning_tokens + excluded.reasoning_tokens;
  RETURN NULL;
END $$;

-- A day's sums, made from its settlements.
CREATE FUNCTION ledger_day_sums(its_day date)
RETURNS TABLE (scope_id text, sum_micro bigint, n bigint, prompt_tokens bigint,
               completion_tokens bigint, cached_tokens bigint, reasoning_tokens bigint)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT
-- Days differ too much in size for one plan.
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT s.scope_id, sum(p.cost)::bigint, sum(p.n)::bigint, sum(p.prompt)::bigint,
         sum(p.completion)::bigint, sum(p.cached)::bigint, sum(p.reasoning)::bigint
    FROM (SELECT org_id, key_id, sum(cost_micro) AS cost, count(*) AS n,
                 sum(prompt_tokens) AS prompt, sum(completion_tokens) AS completion,
                 sum(cached_tokens) AS cached, sum(reasoning_tokens) AS reasoning
            FROM settlement WHERE day = its_day GROUP BY 1, 2) p
   CROSS JOIN LATERAL ledger_scopes(p.org_id, p.key_id, its_day) s
   GROUP BY s.scope_id;
END $$;

-- Closes a day that is stored. Its late charges wait meanwhile, those of other days do not.
CREATE FUNCTION ledger_close_day(its_day date) RETURNS boolean LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  child text := 'settlement_' || to_char(its_day, 'YYYYMMDD');
BEGIN
  IF NOT pg_try_advisory_xact_lock(7455833)
     OR NOT EXISTS (SELECT 1 FROM ledger_days('settlement') d
                     WHERE d.day = its_day AND NOT d.closed) THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TRIGGER settlement_late AFTER INSERT ON %I'
                 ' FOR EACH ROW EXECUTE FUNCTION ledger_late()', child);
  DELETE FROM settlement_rollup r WHERE r.day = its_day;
  INSERT INTO settlement_rollup
    (day, scope_id, sum_micro, n, prompt_tokens, completion_tokens, cached_tokens,
     reasoning_tokens)
  SELECT its_day, s.scope_id, s.sum_micro, s.n, s.prompt_tokens, s.completion_tokens,
         s.cached_tokens, s.reasoning_tokens
    FROM ledger_day_sums(its_day) s;
  RETURN true;
END $$;

-- Days that ended an hour ago and are not closed.
CREATE FUNCTION ledger_days_to_close() RETURNS SETOF date LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT d.day FROM ledger_days('settlement') d
   WHERE NOT d.closed
     AND d.day < ((ledger_now() - interval '1 hour') AT TIME ZONE 'UTC')::date
   ORDER BY 1
$$;

-- Days that are stored for longer than the given number of days, at least 8.
CREATE FUNCTION ledger_days_over(parent text, days integer) RETURNS SETOF date LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT d.day FROM ledger_days(parent) d
   WHERE d.day < (ledger_now() AT TIME ZONE 'UTC')::date - greatest(days, 8)
   ORDER BY 1
$$;

-- Whether a node that was not released, or a job that is not over, may still have charges of a day.
CREATE FUNCTION ledger_is_owed(its_day date) RETURNS boolean LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT EXISTS (
    SELECT 1 FROM node_epoch n
      LEFT JOIN node_report r ON r.node_id = n.node_id AND r.epoch = n.epoch
     WHERE n.state <> 'closed'
       AND (least(n.heartbeat_at, r.owes_since) AT TIME ZONE 'UTC')::date <= its_day + 1)
    OR EXISTS (SELECT 1 FROM media_job j
                WHERE CASE WHEN j.completed_at IS NULL THEN j.day END = its_day)
$$;

-- Drops a day's settlements; their sums stay. It does not wait long for a lock: settlements would
-- wait behind it.
CREATE FUNCTION ledger_drop_charges(its_day date) RETURNS boolean LANGUAGE plpgsql
SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(7455833) OR ledger_is_owed(its_day) THEN
    RETURN false;
  END IF;
  PERFORM ledger_close_day(its_day);
  EXECUTE format('DROP TABLE %I', 'settlement_' || to_char(its_day, 'YYYYMMDD'));
  RETURN true;
END $$;

-- Drops a day's request log, with the same short wait.
CREATE FUNCTION ledger_drop_requests(its_day date) RETURNS boolean LANGUAGE plpgsql
SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(7455833) THEN
    RETURN false;
  END IF;
  EXECUTE format('DROP TABLE %I', 'request_log_' || to_char(its_day, 'YYYYMMDD'));
  RETURN true;
END $$;

-- ---------------------------------------------------------------------------------------------
-- Settlement

-- Settles those charges of a batch that were not settled before, and returns their requests.
CREATE FUNCTION ledger_settle_again(
  its_holder text, days date[], requests text[], orgs uuid[], keys text[], helds integer[],
  reserveds bigint[], costs bigint[], prompts bigint[], completions bigint[], cacheds bigint[],
  reasonings bigint[], estimateds boolean[], hows text[], rows text[])
RETURNS text[] LANGUAGE sql SET search_path FROM CURRENT AS $$
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
    RETURNING day, request_id, org_id, key_id),
  logged AS (
    INSERT INTO request_log (day, request_id, org_id, key_id, row)
    SELECT b.day, b.request_id, b.org_id, b.key_id, r.line
      FROM booked b JOIN unnest(requests, rows) AS r (request, line) ON r.request = b.request_id
     WHERE r.line IS NOT NULL
    ON CONFLICT DO NOTHING)
  SELECT coalesce(array_agg(b.request_id), '{}') FROM booked b
$$;

-- Settles a batch of charges, each once, and sums up the rows that were really inserted. A batch is
-- taken to be new and its rows are inserted without looking for each; one that holds a charge which
-- was sent before takes the longer way of ledger_settle_again. Returns by how much in all the
-- leases of the batch's scopes grew because more was spent than they held, also where every row was
-- sent before.
CREATE FUNCTION ledger_settle(
  its_holder text, days date[], requests text[], orgs uuid[], keys text[], helds integer[],
  reserveds bigint[], costs bigint[], prompts bigint[], completions bigint[], cacheds bigint[],
  reasonings bigint[], estimateds boolean[], hows text[], rows text[])
RETURNS TABLE (scope_id text, overrun bigint) LANGUAGE plpgsql
SET search_path FROM CURRENT
-- The lines of a batch are read from memory, not from a file.
SET work_mem = '32MB'
-- A plan that was made while the tables were small must not be kept.
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
  today    date := (ledger_now() AT TIME ZONE 'UTC')::date;
  its_days date[];
  scopes   text[];
  overran  text[];
  overruns bigint[];
  fresh    text[]; -- null: all
BEGIN
  SELECT array_agg(d.day ORDER BY d.day) INTO its_days
    FROM (SELECT DISTINCT unnest(days) AS day) d;
  -- A recent day was never dropped. An old one may have no partition: then its row is refused.
  PERFORM ledger_partition(d.day) FROM unnest(its_days) AS d (day)
    WHERE d.day BETWEEN today - 8 AND today + 8;
  -- A transaction that closes or drops a day is waited for here, while no lock is held that a
  -- grant needs.
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

  BEGIN
    INSERT INTO settlement (
      day, request_id, org_id, key_id, holder, held, reserved_micro, cost_micro, overrun_micro,
      prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated, how)
    SELECT b.day, b.request, b.org, b.key, its_holder, b.held, b.reserved, b.cost,
           greatest(b.cost - b.reserved, 0), b.prompt, b.completion, b.cached, b.reasoning,
           b.estimated, b.how
      FROM unnest(days, requests, orgs, keys, helds, reserveds, costs, prompts, completions,
                  cacheds, reasonings, estimateds, hows)
             AS b (day, request, org, key, held, reserved, cost, prompt, completion, cached,
                   reasoning, estimated, how);
    INSERT INTO request_log (day, request_id, org_id, key_id, row)
    SELECT b.day, b.request, b.org, b.key, b.line
      FROM unnest(days, requests, orgs, keys, rows) AS b (day, request, org, key, line)
     WHERE b.line IS NOT NULL;
  EXCEPTION WHEN unique_violation THEN
    fresh := ledger_settle_again(
      its_holder, days, requests, orgs, keys, helds, reserveds, costs, prompts, completions,
      cacheds, reasonings, estimateds, hows, rows);
  END;

  RETURN QUERY
  WITH payers AS (
    SELECT b.org AS org_id, b.key AS key_id, b.day, b.held, sum(b.cost) AS cost
      FROM unnest(days, requests, orgs, keys, helds, costs)
             AS b (day, request, org, key, held, cost)
     WHERE fresh IS NULL OR b.request = ANY (fresh)
     GROUP BY 1, 2, 3, 4),
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
