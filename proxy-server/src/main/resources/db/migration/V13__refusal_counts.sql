-- expand
-- Refusals that are counted instead of logged, and the bound on the size of the request log.

-- Refused requests without a row in the request log: one count for each key, code and minute of
-- their admission, to which every node adds. code: an error code, or the outcome where there is
-- none.
CREATE TABLE refusal_count (
  minute   timestamptz NOT NULL,
  key_id   text        COLLATE "C" NOT NULL,
  code     text        COLLATE "C" NOT NULL,
  org_id   uuid        NOT NULL,
  refusals bigint      NOT NULL CHECK (refusals > 0),
  PRIMARY KEY (minute, key_id, code)
) WITH (fillfactor = 70);

-- The days of the request log with their sizes, indexes included. A day that was made ahead, or
-- again, has no rows.
CREATE FUNCTION request_log_sizes() RETURNS TABLE (day date, bytes bigint, has_rows boolean)
LANGUAGE sql VOLATILE SET search_path FROM CURRENT AS $$
  SELECT to_date(right(c.relname, 8), 'YYYYMMDD'),
         coalesce(pg_total_relation_size(c.oid), 0),
         coalesce(pg_relation_size(c.oid), 0) > 0
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent = 'request_log'::regclass
$$;

-- Drops the oldest day of a request log that is larger than the given size, and returns it. Today
-- stays. The days are looked at behind the lock: another node may have dropped some before. Like
-- ledger_drop_requests it does not wait long for a lock.
CREATE FUNCTION request_log_drop_above(bytes_max bigint) RETURNS date LANGUAGE plpgsql
SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
DECLARE
  its_day date;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7455833) THEN
    RETURN NULL;
  END IF;
  SELECT min(s.day) FILTER (WHERE s.has_rows AND s.day < (ledger_now() AT TIME ZONE 'UTC')::date)
    INTO its_day
    FROM request_log_sizes() s
  HAVING sum(s.bytes) > bytes_max;
  IF its_day IS NOT NULL THEN
    EXECUTE format('DROP TABLE %I', 'request_log_' || to_char(its_day, 'YYYYMMDD'));
  END IF;
  RETURN its_day;
END $$;

-- Deletes the counts of days whose request log was dropped; returns their number.
CREATE FUNCTION refusal_count_tidy() RETURNS bigint LANGUAGE sql
SET search_path FROM CURRENT AS $$
  WITH gone AS (
    DELETE FROM refusal_count
     WHERE minute < (SELECT min(s.day)::timestamp AT TIME ZONE 'UTC' FROM request_log_sizes() s)
    RETURNING 1)
  SELECT count(*) FROM gone
$$;
