-- expand
-- Nodes that close or drop a day at the same moment. Each statement of a function has a snapshot of
-- its own, taken before it runs: what the lock's holder before committed is seen only by a statement
-- that begins with the lock in hand. So one statement takes the lock, and a later one looks.

CREATE OR REPLACE FUNCTION ledger_close_day(its_day date) RETURNS boolean LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  child text := 'settlement_' || to_char(its_day, 'YYYYMMDD');
BEGIN
  IF NOT pg_try_advisory_xact_lock(7455833) THEN
    RETURN false;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM ledger_days('settlement') d
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

-- Drops a day's settlements; their sums stay. It does not wait long for a lock: settlements would
-- wait behind it.
CREATE OR REPLACE FUNCTION ledger_drop_charges(its_day date) RETURNS boolean LANGUAGE plpgsql
SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(7455833) THEN
    RETURN false;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM ledger_days('settlement') d WHERE d.day = its_day)
     OR ledger_is_owed(its_day) THEN
    RETURN false;
  END IF;
  PERFORM ledger_close_day(its_day);
  EXECUTE format('DROP TABLE %I', 'settlement_' || to_char(its_day, 'YYYYMMDD'));
  RETURN true;
END $$;

-- Drops a day's request log, with the same short wait.
CREATE OR REPLACE FUNCTION ledger_drop_requests(its_day date) RETURNS boolean LANGUAGE plpgsql
SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(7455833) THEN
    RETURN false;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM ledger_days('request_log') d WHERE d.day = its_day) THEN
    RETURN false;
  END IF;
  EXECUTE format('DROP TABLE %I', 'request_log_' || to_char(its_day, 'YYYYMMDD'));
  RETURN true;
END $$;
