-- Of a day that is over, the cached and the reasoning tokens are summed up too. Days whose charges
-- are stored get these sums now; where charges were dropped there is nothing to make them of: 0.
-- Nodes of the version before go on meanwhile, and with these functions afterwards.

-- A day's sums, as its charges make them.
CREATE FUNCTION ledger_day_sums(its_day date)
RETURNS TABLE (scope_id text, sum_micro bigint, n bigint, prompt_tokens bigint,
               completion_tokens bigint, cached_tokens bigint, reasoning_tokens bigint)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT
-- Days differ by more than one plan is good for.
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

-- ---------------------------------------------------------------------------------------------
-- What takes long, for it reads all charges of closed days, comes first and stops nobody; only no
-- day is closed or dropped from here on.

SELECT pg_advisory_xact_lock(7455833);

CREATE UNLOGGED TABLE day_tokens (
  day              date   NOT NULL,
  scope_id         text   COLLATE "C" NOT NULL,
  n                bigint NOT NULL,
  cached_tokens    bigint NOT NULL,
  reasoning_tokens bigint NOT NULL,
  PRIMARY KEY (day, scope_id)
);

INSERT INTO day_tokens
SELECT d.day, s.scope_id, s.n, s.cached_tokens, s.reasoning_tokens
  FROM ledger_days('settlement') d CROSS JOIN LATERAL ledger_day_sums(d.day) s
 WHERE d.closed;

ANALYZE day_tokens;

-- ---------------------------------------------------------------------------------------------
-- From here on late charges wait, where nothing is held that a grant needs (ledger_await_day), and
-- those of days that are not closed do not. A lock that is not to be had is not waited for as long
-- as other nodes wait for this migration.

SET LOCAL lock_timeout = '60s';

-- What was booked late since the days were read is read again.
DO $$
DECLARE
  its_day date;
BEGIN
  FOR its_day IN
    SELECT d.day FROM ledger_days('settlement') d WHERE d.closed ORDER BY d.day
  LOOP
    EXECUTE format('LOCK TABLE %I IN SHARE MODE', 'settlement_' || to_char(its_day, 'YYYYMMDD'));
    IF (SELECT sum(r.n) FROM settlement_rollup r WHERE r.day = its_day) IS DISTINCT FROM
       (SELECT sum(t.n) FROM day_tokens t WHERE t.day = its_day) THEN
      DELETE FROM day_tokens t WHERE t.day = its_day;
      INSERT INTO day_tokens
      SELECT its_day, s.scope_id, s.n, s.cached_tokens, s.reasoning_tokens
        FROM ledger_day_sums(its_day) s;
    END IF;
  END LOOP;
END $$;

ALTER TABLE settlement_rollup
  ADD COLUMN cached_tokens    bigint NOT NULL DEFAULT 0,
  ADD COLUMN reasoning_tokens bigint NOT NULL DEFAULT 0;

UPDATE settlement_rollup r
   SET cached_tokens = t.cached_tokens, reasoning_tokens = t.reasoning_tokens
  FROM day_tokens t
 WHERE t.day = r.day AND t.scope_id = r.scope_id
   AND (t.cached_tokens <> 0 OR t.reasoning_tokens <> 0);

DROP TABLE day_tokens;

-- Whoever books a charge holds its scopes' rows, so two of them never meet here.
CREATE OR REPLACE FUNCTION ledger_late() RETURNS trigger LANGUAGE plpgsql
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

-- Closes a day that is stored. Its late charges wait meanwhile, those of other days do not.
CREATE OR REPLACE FUNCTION ledger_close_day(its_day date) RETURNS boolean LANGUAGE plpgsql
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
