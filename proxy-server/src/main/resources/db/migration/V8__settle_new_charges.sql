-- What a charge costs the books. A row of the request log is kept as text, as it was written:
-- checking that it is JSON took a tenth of the time in which the books take a charge. And a batch is
-- taken to be new: its rows go in without asking for each whether it is there. A batch that holds
-- a charge which was sent before takes the longer way.
ALTER TABLE request_log ALTER COLUMN row TYPE text USING row::text;

-- Books those charges of a batch that were not booked before, and returns their requests.
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

-- Books charges, each once; only rows that were really inserted are summed. Returns by how much in
-- all the leases of the batch's scopes grew because more was spent than they held, also where every
-- row was sent before.
CREATE OR REPLACE FUNCTION ledger_settle(
  its_holder text, days date[], requests text[], orgs uuid[], keys text[], helds integer[],
  reserveds bigint[], costs bigint[], prompts bigint[], completions bigint[], cacheds bigint[],
  reasonings bigint[], estimateds boolean[], hows text[], rows text[])
RETURNS TABLE (scope_id text, overrun bigint) LANGUAGE plpgsql
SET search_path FROM CURRENT
-- A batch's lines are read from memory, not from a file.
SET work_mem = '32MB'
-- A plan made while the tables were small must not be kept.
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
