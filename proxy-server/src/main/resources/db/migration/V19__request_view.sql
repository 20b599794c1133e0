-- expand
-- The request view: what the explorer reads of requests (docs/explorer.md). It is made from the
-- request log and the settlements, behind them, and can be made again.

-- One row for each request of the request log, and for each charge without one. at: the time of the
-- request. overhead_us, in microseconds. cost_micro: the charge; operator_cost_micro: what the
-- request cost the operator, the charge where nothing else was recorded. stream and the columns
-- behind it are null where the log does not say.
CREATE TABLE request_view (
  day                 date     NOT NULL,
  request_id          text     COLLATE "C" NOT NULL,
  org_id              uuid     NOT NULL,
  key_id              text     COLLATE "C" NOT NULL,
  at                  timestamptz NOT NULL,
  endpoint            text     COLLATE "C",
  model               text     COLLATE "C",
  provider            text     COLLATE "C",
  status              smallint,
  outcome             text     COLLATE "C" NOT NULL,
  code                text     COLLATE "C",
  stream              boolean,
  estimated           boolean,
  fallback            boolean  NOT NULL,
  resumed             boolean  NOT NULL,
  hedged              boolean  NOT NULL,
  attempts            smallint NOT NULL,
  total_ms            integer,
  ttft_ms             integer,
  overhead_us         integer,
  upstream_ms         integer,
  prompt_tokens       bigint   NOT NULL,
  completion_tokens   bigint   NOT NULL,
  cached_tokens       bigint   NOT NULL,
  reasoning_tokens    bigint   NOT NULL,
  cost_micro          bigint   NOT NULL,
  operator_cost_micro bigint   NOT NULL,
  client_ip           text     COLLATE "C",
  PRIMARY KEY (day, request_id)
) PARTITION BY RANGE (day);

CREATE INDEX request_view_by_org ON request_view (org_id, request_id);
CREATE INDEX request_view_by_key ON request_view (org_id, key_id, request_id);
CREATE INDEX request_view_by_model ON request_view (org_id, model, request_id);
CREATE INDEX request_view_failures ON request_view (org_id, request_id)
  WHERE outcome NOT IN ('ok', 'ok_estimated', 'replayed');

-- Sums of the view by five minutes. The latencies are counts of 40 buckets: those of total and ttft
-- begin at 1 ms, those of overhead at 10 microseconds, and each ends at the square root of 2 times
-- its begin. '' stands for a name that the log does not say.
CREATE TABLE usage_slot (
  slot                timestamptz NOT NULL,
  org_id              uuid   NOT NULL,
  key_id              text   COLLATE "C" NOT NULL,
  model               text   COLLATE "C" NOT NULL,
  provider            text   COLLATE "C" NOT NULL,
  endpoint            text   COLLATE "C" NOT NULL,
  outcome             text   COLLATE "C" NOT NULL,
  code                text   COLLATE "C" NOT NULL,
  requests            bigint NOT NULL,
  prompt_tokens       bigint NOT NULL,
  completion_tokens   bigint NOT NULL,
  cached_tokens       bigint NOT NULL,
  reasoning_tokens    bigint NOT NULL,
  cost_micro          bigint NOT NULL,
  operator_cost_micro bigint NOT NULL,
  total_hist          integer[] NOT NULL,
  ttft_hist           integer[] NOT NULL,
  overhead_hist       integer[] NOT NULL,
  PRIMARY KEY (org_id, slot, key_id, model, provider, endpoint, outcome, code)
) WITH (fillfactor = 70);

-- The same sums by hour. They outlive the view.
CREATE TABLE usage_hour (LIKE usage_slot INCLUDING ALL);

-- Adds two latency histograms. An empty one has no buckets.
CREATE FUNCTION latency_hist_add(counts integer[], more integer[]) RETURNS integer[]
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN counts = '{}' THEN more WHEN more = '{}' THEN counts
              ELSE (SELECT array_agg(s + m ORDER BY i)
                      FROM unnest(counts, more) WITH ORDINALITY AS t (s, m, i)) END
$$;

-- How far the view is made. upto: rows that were written before are in it. hours_checked: the hours
-- that ended before were compared with the settlements; days_checked: the days before, with the
-- sums of closed days.
CREATE TABLE request_view_mark (
  one           boolean     PRIMARY KEY DEFAULT true CHECK (one),
  upto          timestamptz NOT NULL,
  hours_checked timestamptz NOT NULL,
  days_checked  date        NOT NULL
);

-- A store that has a log already is caught up with from the oldest day on.
INSERT INTO request_view_mark (upto, hours_checked, days_checked)
SELECT (coalesce(min(d.day), t.today) - 1)::timestamp AT TIME ZONE 'UTC',
       date_trunc('hour', ledger_now(), 'UTC'), t.today
  FROM (SELECT (ledger_now() AT TIME ZONE 'UTC')::date AS today) t
  LEFT JOIN ledger_days('request_log') d ON true
 GROUP BY t.today;

-- Charges that came without a row of the log, or after it: those of jobs and of nodes that died.
-- The view has still to take them over.
CREATE TABLE request_view_late (
  day        date        NOT NULL,
  request_id text        COLLATE "C" NOT NULL,
  at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (day, request_id)
);

INSERT INTO request_view_late (day, request_id)
SELECT s.day, s.request_id
  FROM media_job j JOIN settlement s ON s.day = j.day AND s.request_id = j.request_id;

CREATE FUNCTION settlement_view_late() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO request_view_late (day, request_id) VALUES (NEW.day, NEW.request_id)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- ---------------------------------------------------------------------------------------------
-- Days: the view's are made and dropped in the steps of the request log's.

-- Makes a day's partitions. Attaching one does not stop writers to the others.
CREATE OR REPLACE FUNCTION ledger_partition(its_day date) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  parent text;
  child  text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['settlement', 'request_log', 'request_view'] LOOP
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

SELECT ledger_partition(d.day) FROM ledger_days('request_log') d;

-- The days of the request log with their sizes and those of the view, indexes included. A day that
-- was made ahead, or again, has no rows.
CREATE OR REPLACE FUNCTION request_log_sizes()
RETURNS TABLE (day date, bytes bigint, has_rows boolean)
LANGUAGE sql VOLATILE SET search_path FROM CURRENT AS $$
  SELECT to_date(right(c.relname, 8), 'YYYYMMDD'),
         sum(coalesce(pg_total_relation_size(c.oid), 0))::bigint,
         bool_or(coalesce(pg_relation_size(c.oid), 0) > 0)
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent IN ('request_log'::regclass, 'request_view'::regclass)
   GROUP BY 1
$$;

-- Drops a day of the request log and of the view.
CREATE FUNCTION request_log_drop_day(its_day date) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  suffix text := '_' || to_char(its_day, 'YYYYMMDD');
BEGIN
  EXECUTE format('DROP TABLE IF EXISTS %I, %I', 'request_log' || suffix, 'request_view' || suffix);
  DELETE FROM request_view_late WHERE day = its_day;
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
  PERFORM request_log_drop_day(its_day);
  RETURN true;
END $$;

-- Drops the oldest day of a request log that is larger than the given size, and returns it. Today
-- stays. The days are looked at behind the lock: another node may have dropped some before. Like
-- ledger_drop_requests it does not wait long for a lock.
CREATE OR REPLACE FUNCTION request_log_drop_above(bytes_max bigint) RETURNS date LANGUAGE plpgsql
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
    PERFORM request_log_drop_day(its_day);
  END IF;
  RETURN its_day;
END $$;

-- Deletes sums that are older than they are kept: five-minute slots 8 days, hours 400 days.
CREATE FUNCTION usage_tidy() RETURNS bigint LANGUAGE sql SET search_path FROM CURRENT AS $$
  WITH slots AS (
    DELETE FROM usage_slot WHERE slot < ledger_now() - interval '8 days' RETURNING 1),
  hours AS (
    DELETE FROM usage_hour WHERE slot < ledger_now() - interval '400 days' RETURNING 1)
  SELECT (SELECT count(*) FROM slots) + (SELECT count(*) FROM hours)
$$;

-- Last: settlements wait for the end of this file from here on.
CREATE TRIGGER settlement_view_late AFTER INSERT ON settlement
  FOR EACH ROW WHEN (NEW.how = 'crash' OR NEW.holder LIKE 'job:%')
  EXECUTE FUNCTION settlement_view_late();
