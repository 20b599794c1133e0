-- expand
-- The request view is made in the database, which reads the lines where they lie. The tables are
-- those of V19__request_view.sql.

-- ---------------------------------------------------------------------------------------------
-- From a line of the log to a row

-- The members of a line that the view has, as the gateway writes them; a member of another type, or
-- a number that no double has, is an error. It parses the text once, without making a jsonb of it.
CREATE FUNCTION request_members(line json)
RETURNS TABLE (
  route text, model text, provider text, status float8, outcome text, code text, stream boolean,
  estimated boolean, attempts jsonb, total_ms float8, ttft_ms float8, overhead_ms float8,
  upstream_ms float8, prompt_tokens float8, completion_tokens float8, cached_tokens float8,
  reasoning_tokens float8, cost_micro float8, operator_cost_micro float8, client_ip text)
LANGUAGE sql STABLE AS $$
  SELECT * FROM json_to_record(line) AS m (
    route text, model text, provider text, status float8, outcome text, code text, stream boolean,
    estimated boolean, attempts jsonb, total_ms float8, ttft_ms float8, overhead_ms float8,
    upstream_ms float8, prompt_tokens float8, completion_tokens float8, cached_tokens float8,
    reasoning_tokens float8, cost_micro float8, operator_cost_micro float8, client_ip text)
$$;

-- A line whose members can be taken without an error. One that is no JSON object, or not as the
-- gateway writes it, says nothing.
CREATE FUNCTION request_line(its_row text) RETURNS json LANGUAGE plpgsql STABLE STRICT
SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM request_members(its_row::json);
  RETURN its_row;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  RETURN '{}';
END $$;

-- A line that says of a charge without one what its settlement says.
CREATE FUNCTION request_line_of_charge(its_day date, its_request text) RETURNS json
LANGUAGE sql STABLE AS $$
  SELECT json_build_object(
           'outcome', CASE s.how WHEN 'crash' THEN 'crash' ELSE 'unknown' END,
           'prompt_tokens', s.prompt_tokens, 'completion_tokens', s.completion_tokens,
           'cached_tokens', s.cached_tokens, 'reasoning_tokens', s.reasoning_tokens,
           'estimated', s.estimated, 'cost_micro', s.cost_micro)
    FROM settlement s WHERE s.day = its_day AND s.request_id = its_request
$$;

-- Tokens or money of a line; what no request can have counts as 0.
CREATE FUNCTION request_amount(its float8) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN its BETWEEN 0 AND 1e15 THEN trunc(its)::bigint ELSE 0 END
$$;

-- A duration of a line, rounded; null stays null.
CREATE FUNCTION request_duration(its float8) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN its < 0.5 THEN 0 WHEN its < 2147483647 THEN floor(its + 0.5)
              WHEN its IS NOT NULL THEN 2147483647 END::integer
$$;

-- Whether a text is the id of a request: req_ and 26 digits, the first up to 7.
CREATE FUNCTION request_has_time(id text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT id LIKE 'req\_%' AND octet_length(id) = 30 AND substr(id, 5, 1) COLLATE "C" < '8'
         AND ltrim(substr(id, 5), '0123456789ABCDEFGHJKMNPQRSTVWXYZ') = ''
$$;

-- A digit of an id: base 32 without I, L, O and U.
CREATE FUNCTION request_digit(digits bytea, place integer) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT get_byte(
           '\x00010203040506070809000000000000000a0b0c0d0e0f101100121300141500161718191a001b1c1d1e1f',
           get_byte(digits, place) - 48)::bigint
$$;

-- The time in milliseconds since 1970 that the first ten digits of an id tell.
CREATE FUNCTION request_millis(digits bytea) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT (request_digit(digits, 0) << 45) | (request_digit(digits, 1) << 40)
         | (request_digit(digits, 2) << 35) | (request_digit(digits, 3) << 30)
         | (request_digit(digits, 4) << 25) | (request_digit(digits, 5) << 20)
         | (request_digit(digits, 6) << 15) | (request_digit(digits, 7) << 10)
         | (request_digit(digits, 8) << 5) | request_digit(digits, 9)
$$;

-- The columns of the view behind the ids, in their order. written: the request's time if its id
-- tells none; charged: its cost, whatever the line says; null: what the line says. The operator's
-- cost follows the charge unless the line has another one.
CREATE FUNCTION request_row(its_request text, its_line json, written timestamptz, charged bigint)
RETURNS TABLE (
  at timestamptz, endpoint text, model text, provider text, status smallint, outcome text,
  code text, stream boolean, estimated boolean, fallback boolean, resumed boolean, hedged boolean,
  attempts smallint, total_ms integer, ttft_ms integer, overhead_us integer, upstream_ms integer,
  prompt_tokens bigint, completion_tokens bigint, cached_tokens bigint, reasoning_tokens bigint,
  cost_micro bigint, operator_cost_micro bigint, client_ip text)
LANGUAGE sql STABLE AS $$
  SELECT coalesce(to_timestamp(i.millis / 1000) + i.millis % 1000 * interval '1 millisecond',
                  written),
         m.route, m.model, m.provider,
         CASE WHEN m.status IS NOT NULL THEN trunc(least(greatest(m.status, 0), 999)) END::smallint,
         coalesce(m.outcome, 'unknown'), m.code, m.stream, m.estimated,
         m.provider IS NOT NULL
           AND jsonb_path_exists(
                 a.attempts, '$[*] ? (!(@.provider == $own) && !(@.outcome == "cancelled"))',
                 jsonb_build_object('own', m.provider)),
         jsonb_path_exists(a.attempts, '$[*].resume ? (@ != "")'),
         a.attempts @> '[{"outcome":"cancelled"}]',
         least(jsonb_array_length(a.attempts), 32767)::smallint,
         request_duration(m.total_ms), request_duration(m.ttft_ms),
         request_duration(CASE WHEN abs(m.overhead_ms) > 1e12 THEN m.overhead_ms
                               ELSE m.overhead_ms * 1000 END),
         request_duration(m.upstream_ms),
         request_amount(m.prompt_tokens), request_amount(m.completion_tokens),
         request_amount(m.cached_tokens), request_amount(m.reasoning_tokens),
         coalesce(charged, request_amount(m.cost_micro)),
         CASE WHEN m.operator_cost_micro IS NULL
                OR request_amount(m.operator_cost_micro) = request_amount(m.cost_micro)
              THEN coalesce(charged, request_amount(m.cost_micro))
              ELSE request_amount(m.operator_cost_micro) END,
         m.client_ip
    FROM request_members(its_line) m
   CROSS JOIN LATERAL (SELECT CASE jsonb_typeof(m.attempts) WHEN 'array' THEN m.attempts
                                   ELSE '[]' END AS attempts) a
   CROSS JOIN LATERAL (
         SELECT CASE WHEN request_has_time(its_request) THEN substr(its_request, 5, 10)::bytea
                END AS digits OFFSET 0) d
   CROSS JOIN LATERAL (SELECT request_millis(d.digits) AS millis OFFSET 0) i
$$;

-- ---------------------------------------------------------------------------------------------
-- From rows to their sums

-- The histogram of durations in these buckets, numbered from 0; step: what each counts. Without one
-- it has no buckets.
CREATE FUNCTION latency_hist(buckets integer[], step integer) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  counts integer[] := '{}';
  bucket integer;
BEGIN
  IF buckets IS NOT NULL THEN
    counts := array_fill(0, ARRAY[40]);
    FOREACH bucket IN ARRAY buckets LOOP
      counts[bucket + 1] := counts[bucket + 1] + step;
    END LOOP;
  END IF;
  RETURN counts;
END $$;

-- The bucket of a duration: how many of the begins of the second bucket and the later ones it
-- reached.
CREATE FUNCTION latency_bucket(ms integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT width_bucket(ms, '{2,2,3,4,6,8,12,16,23,32,46,64,91,128,182,256,363,512,725,1024,1449,2048,
    2897,4096,5793,8192,11586,16384,23171,32768,46341,65536,92682,131072,185364,262144,370728,524288,
    741456}'::integer[])
$$;

CREATE FUNCTION latency_bucket_us(us integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT width_bucket(us, '{15,20,29,40,57,80,114,160,227,320,453,640,906,1280,1811,2560,3621,5120,
    7241,10240,14482,20480,28964,40960,57927,81920,115853,163840,231705,327680,463410,655360,926820,
    1310720,1853639,2621440,3707277,5242880,7414553}'::integer[])
$$;

-- Adds two latency histograms. An empty one has no buckets. Written out it becomes a part of the
-- statement that uses it.
CREATE OR REPLACE FUNCTION latency_hist_add(counts integer[], more integer[]) RETURNS integer[]
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN counts = '{}' THEN more WHEN more = '{}' THEN counts ELSE ARRAY[
  counts[1] + more[1], counts[2] + more[2], counts[3] + more[3], counts[4] + more[4],
  counts[5] + more[5], counts[6] + more[6], counts[7] + more[7], counts[8] + more[8],
  counts[9] + more[9], counts[10] + more[10], counts[11] + more[11], counts[12] + more[12],
  counts[13] + more[13], counts[14] + more[14], counts[15] + more[15], counts[16] + more[16],
  counts[17] + more[17], counts[18] + more[18], counts[19] + more[19], counts[20] + more[20],
  counts[21] + more[21], counts[22] + more[22], counts[23] + more[23], counts[24] + more[24],
  counts[25] + more[25], counts[26] + more[26], counts[27] + more[27], counts[28] + more[28],
  counts[29] + more[29], counts[30] + more[30], counts[31] + more[31], counts[32] + more[32],
  counts[33] + more[33], counts[34] + more[34], counts[35] + more[35], counts[36] + more[36],
  counts[37] + more[37], counts[38] + more[38], counts[39] + more[39], counts[40] + more[40]] END
$$;

-- Adds rows of the view to the sums, or takes them away if step is -1; returns their number.
CREATE FUNCTION usage_add(rows request_view[], step integer) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF rows IS NULL THEN
    RETURN 0;
  END IF;
  WITH sums AS (
    SELECT date_bin('5 minutes', v.at, 'epoch') AS slot, date_trunc('hour', v.at, 'UTC') AS hour,
           v.org_id, v.key_id, coalesce(v.model, '') AS model, coalesce(v.provider, '') AS provider,
           coalesce(v.endpoint, '') AS endpoint, v.outcome, coalesce(v.code, '') AS code,
           step * count(*) AS requests, step * sum(v.prompt_tokens) AS prompt,
           step * sum(v.completion_tokens) AS completion, step * sum(v.cached_tokens) AS cached,
           step * sum(v.reasoning_tokens) AS reasoning, step * sum(v.cost_micro) AS cost,
           step * sum(v.operator_cost_micro) AS operator_cost,
           latency_hist(array_agg(latency_bucket(v.total_ms))
                        FILTER (WHERE v.total_ms IS NOT NULL), step) AS total,
           latency_hist(array_agg(latency_bucket(v.ttft_ms))
                        FILTER (WHERE v.ttft_ms IS NOT NULL), step) AS ttft,
           latency_hist(array_agg(latency_bucket_us(v.overhead_us))
                        FILTER (WHERE v.overhead_us IS NOT NULL), step) AS overhead
      FROM unnest(rows) v
     GROUP BY GROUPING SETS ((1, 3, 4, 5, 6, 7, 8, 9), (2, 3, 4, 5, 6, 7, 8, 9))),
  slots AS (
    INSERT INTO usage_slot AS u
    SELECT slot, org_id, key_id, model, provider, endpoint, outcome, code, requests, prompt,
           completion, cached, reasoning, cost, operator_cost, total, ttft, overhead
      FROM sums WHERE hour IS NULL
     ORDER BY org_id, slot, key_id, model, provider, endpoint, outcome, code
    ON CONFLICT (org_id, slot, key_id, model, provider, endpoint, outcome, code) DO UPDATE
       SET requests = u.requests + excluded.requests,
           prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
           completion_tokens = u.completion_tokens + excluded.completion_tokens,
           cached_tokens = u.cached_tokens + excluded.cached_tokens,
           reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens,
           cost_micro = u.cost_micro + excluded.cost_micro,
           operator_cost_micro = u.operator_cost_micro + excluded.operator_cost_micro,
           total_hist = latency_hist_add(u.total_hist, excluded.total_hist),
           ttft_hist = latency_hist_add(u.ttft_hist, excluded.ttft_hist),
           overhead_hist = latency_hist_add(u.overhead_hist, excluded.overhead_hist))
  INSERT INTO usage_hour AS u
  SELECT hour, org_id, key_id, model, provider, endpoint, outcome, code, requests, prompt,
         completion, cached, reasoning, cost, operator_cost, total, ttft, overhead
    FROM sums WHERE slot IS NULL
   ORDER BY org_id, hour, key_id, model, provider, endpoint, outcome, code
  ON CONFLICT (org_id, slot, key_id, model, provider, endpoint, outcome, code) DO UPDATE
     SET requests = u.requests + excluded.requests,
         prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
         completion_tokens = u.completion_tokens + excluded.completion_tokens,
         cached_tokens = u.cached_tokens + excluded.cached_tokens,
         reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens,
         cost_micro = u.cost_micro + excluded.cost_micro,
         operator_cost_micro = u.operator_cost_micro + excluded.operator_cost_micro,
         total_hist = latency_hist_add(u.total_hist, excluded.total_hist),
         ttft_hist = latency_hist_add(u.ttft_hist, excluded.ttft_hist),
         overhead_hist = latency_hist_add(u.overhead_hist, excluded.overhead_hist);
  INSERT INTO key_last_used AS u (key_id, at)
  SELECT v.key_id, max(v.at) FROM unnest(rows) v GROUP BY 1 ORDER BY 1
  ON CONFLICT (key_id) DO UPDATE SET at = greatest(u.at, excluded.at);
  RETURN cardinality(rows);
END $$;

-- ---------------------------------------------------------------------------------------------
-- From the log and the settlements to the view

-- Takes over the lines that were written in a time and are no rows yet; returns their number. All
-- are as the gateway writes them, so they are looked at one by one only after an error.
CREATE FUNCTION request_view_take(since timestamptz, until timestamptz) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  is_checked boolean := false;
  added      request_view[];
BEGIN
  LOOP
    BEGIN
      WITH fresh AS (
        INSERT INTO request_view AS v
        SELECT l.day, l.request_id, l.org_id, l.key_id, r.*
          FROM request_log l
         CROSS JOIN LATERAL request_row(
               l.request_id, CASE WHEN is_checked THEN request_line(l.row) ELSE l.row::json END,
               l.at, NULL) r
         WHERE l.at >= since AND l.at < until
        ON CONFLICT DO NOTHING
        RETURNING v AS one)
      SELECT array_agg(f.one) INTO added FROM fresh f;
      RETURN usage_add(added, 1);
    EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
      IF is_checked THEN
        RAISE;
      END IF;
      is_checked := true;
    END;
  END LOOP;
END $$;

-- Takes over charges that came without their line or after it, in portions of most; returns their
-- number. Charges that came later than the given time still wait for their line.
CREATE FUNCTION request_view_take_late(came_before timestamptz, most integer) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  taken   integer;
  known   request_view[];
  changed request_view[];
  added   request_view[];
BEGIN
  IF NOT EXISTS (SELECT 1 FROM request_view_late) THEN
    RETURN 0;
  END IF;
  WITH late AS (
    DELETE FROM request_view_late
     WHERE (day, request_id) IN (
       SELECT l.day, l.request_id
         FROM request_view_late l
         JOIN settlement s ON s.day = l.day AND s.request_id = l.request_id
        WHERE s.how = 'crash' OR l.at < came_before
           OR EXISTS (SELECT 1 FROM request_view v
                       WHERE v.day = l.day AND v.request_id = l.request_id)
        ORDER BY l.at LIMIT most)
    RETURNING day, request_id),
  charges AS (
    SELECT s.* FROM late l JOIN settlement s ON s.day = l.day AND s.request_id = l.request_id),
  before AS (
    SELECT v AS one
      FROM charges s JOIN request_view v ON v.day = s.day AND v.request_id = s.request_id),
  behind AS (
    UPDATE request_view v
       SET cost_micro = s.cost_micro, estimated = s.estimated,
           operator_cost_micro = CASE v.operator_cost_micro WHEN v.cost_micro THEN s.cost_micro
                                      ELSE v.operator_cost_micro END
      FROM charges s WHERE v.day = s.day AND v.request_id = s.request_id
    RETURNING v AS one),
  fresh AS (
    INSERT INTO request_view AS v
    SELECT s.day, s.request_id, s.org_id, s.key_id, r.*
      FROM charges s
     CROSS JOIN LATERAL request_row(
           s.request_id, request_line_of_charge(s.day, s.request_id), s.at, NULL) r
    ON CONFLICT DO NOTHING
    RETURNING v AS one)
  SELECT (SELECT count(*) FROM late), (SELECT array_agg(one) FROM before),
         (SELECT array_agg(one) FROM behind), (SELECT array_agg(one) FROM fresh)
    INTO taken, known, changed, added;
  PERFORM usage_add(known, -1), usage_add(changed || added, 1);
  RETURN taken;
END $$;

-- One step: takes over what was written since the last one, by any node, and moves the mark. Of
-- several nodes one at a time has the lock, which ends with the transaction.
-- A line has the time at which its transaction began, and becomes visible at that transaction's end.
-- So the mark stays behind the oldest transaction that is open, as long as such a one may live. Of
-- those, the ones that only do maintenance write no line.
-- Statistics of a day that is being written know nothing of its latest lines, and to plan each call
-- anew takes longer than a call that finds none, as does compiling it.
-- slice_s: the longest time that is taken over, in seconds; it has rows_max lines at most, unless it
-- is short. life_s: the longest life of a transaction that writes to the log; start_s: the longest
-- time until others see that it is open.
-- taken: rows that are new; behind_s: from the mark to the present; has_more: whether the next step
-- has work already; next_slice_s: its slice.
CREATE FUNCTION request_view_step(
  slice_s double precision, rows_max integer, life_s double precision, start_s double precision,
  OUT taken integer, OUT behind_s double precision, OUT has_more boolean,
  OUT next_slice_s double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  is_mine boolean := pg_try_advisory_xact_lock(7455835);
  present timestamptz;
  safe    timestamptz;
  mark    timestamptz;
  until   timestamptz;
  late    integer := 0;
BEGIN
  SELECT t.now, m.upto,
         greatest(t.now - make_interval(secs => life_s),
                  least(t.now - make_interval(secs => start_s),
                        (SELECT min(a.xact_start) FROM pg_stat_activity a
                          WHERE a.datname = current_database() AND a.usename = current_user
                            AND a.application_name <> 'tollgate-setup'
                            AND a.pid <> pg_backend_pid())))
    INTO present, mark, safe
    FROM request_view_mark m CROSS JOIN (SELECT clock_timestamp() AS now) t;
  taken := 0;
  next_slice_s := slice_s;
  IF is_mine AND safe > mark THEN
    until := least(mark + make_interval(secs => slice_s), safe);
    WHILE until > mark + interval '3 seconds'
      AND EXISTS (SELECT 1 FROM request_log l WHERE l.at >= mark AND l.at < until OFFSET rows_max)
    LOOP
      next_slice_s := extract(epoch FROM until - mark) / 4;
      until := mark + make_interval(secs => next_slice_s);
    END LOOP;
    next_slice_s := least(next_slice_s * 4, 21600);
    taken := request_view_take(mark, until);
    UPDATE request_view_mark SET upto = until;
    mark := until;
  END IF;
  IF is_mine THEN
    late := request_view_take_late(mark - interval '1 minute', 1000);
  END IF;
  behind_s := extract(epoch FROM present - mark);
  has_more := is_mine AND (mark < safe OR late = 1000);
END $$;

-- Makes an hour of the view and of its sums anew from the log and the settlements; returns the
-- number of its requests. An hour whose log was dropped stays as it is.
-- first, behind: the ids of its requests are not less than the one, and less than the other.
CREATE FUNCTION request_view_rebuild(hour timestamptz, first text, behind text) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT SET jit = off AS $$
DECLARE
  portion CONSTANT integer := 20000;
  its_day date := (hour AT TIME ZONE 'UTC')::date;
  until   text COLLATE "C" := first;
  since   text COLLATE "C";
  made    integer := 0;
  added   request_view[];
BEGIN
  PERFORM pg_advisory_xact_lock(7455835);
  IF NOT EXISTS (SELECT 1 FROM ledger_days('request_log') d WHERE d.day = its_day) THEN
    RETURN 0;
  END IF;
  DELETE FROM request_view v
   WHERE v.day = its_day AND v.request_id >= first AND v.request_id < behind;
  DELETE FROM usage_slot u WHERE u.slot >= hour AND u.slot < hour + interval '1 hour';
  DELETE FROM usage_hour u WHERE u.slot = hour;
  WHILE until < behind LOOP
    since := until;
    until := least(
      behind,
      (SELECT l.request_id FROM request_log l
        WHERE l.day = its_day AND l.request_id >= since ORDER BY 1 OFFSET portion LIMIT 1),
      (SELECT s.request_id FROM settlement s
        WHERE s.day = its_day AND s.request_id >= since ORDER BY 1 OFFSET portion LIMIT 1));
    WITH fresh AS (
      INSERT INTO request_view AS v
      SELECT day, request_id, coalesce(l.org_id, s.org_id), coalesce(l.key_id, s.key_id), r.*
        FROM (SELECT * FROM request_log o
               WHERE o.day = its_day AND o.request_id >= since AND o.request_id < until) l
        FULL JOIN (SELECT * FROM settlement o
                    WHERE o.day = its_day AND o.request_id >= since AND o.request_id < until) s
       USING (day, request_id)
       CROSS JOIN LATERAL request_row(
             request_id, coalesce(request_line(l.row), request_line_of_charge(day, request_id)),
             coalesce(l.at, s.at), coalesce(s.cost_micro, 0)) r
      ON CONFLICT DO NOTHING
      RETURNING v AS one)
    SELECT array_agg(f.one) INTO added FROM fresh f;
    made := made + usage_add(added, 1);
  END LOOP;
  RETURN made;
END $$;
