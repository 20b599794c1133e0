-- expand
-- What requests cost the operator, where that is not the charge: at a route with a cost of its own
-- also less than it. request_log.operator_cost_micro is null where it is the charge. A job's line is
-- written at its submission, so its cost stands in the column alone.

-- The hourly sums in which the two differ: what an organization leaves to the operator. The
-- projection waits while it is made; where no route has a cost it is empty.
CREATE INDEX usage_hour_margins ON usage_hour (org_id, slot)
  INCLUDE (cost_micro, operator_cost_micro) WHERE operator_cost_micro <> cost_micro;

-- Does what job_succeed_priced does, and keeps the operator's cost with the request.
CREATE FUNCTION job_succeed_at_cost(
  its_id uuid, its_worker text, its_cost bigint, its_operator_cost bigint, its_priced text,
  its_retention interval, artifacts uuid[], types text[], content_types text[], blob_keys text[],
  sizes bigint[], widths integer[], heights integer[], durations double precision[])
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  its_day     date;
  its_request text;
BEGIN
  IF NOT job_succeed_priced(its_id, its_worker, its_cost, its_priced, its_retention, artifacts,
                            types, content_types, blob_keys, sizes, widths, heights, durations) THEN
    RETURN false;
  END IF;
  IF its_operator_cost <> its_cost THEN
    SELECT j.day, j.request_id INTO its_day, its_request FROM media_job j WHERE j.id = its_id;
    UPDATE request_log r SET operator_cost_micro = its_operator_cost
     WHERE r.day = its_day AND r.request_id = its_request;
  END IF;
  RETURN true;
END $$;

-- The columns of request_row, with the operator's cost that stands beside the line, if one does.
CREATE FUNCTION request_row_v2(
  its_request text, its_line json, written timestamptz, charged bigint, to_operator bigint)
RETURNS TABLE (
  at timestamptz, endpoint text, model text, provider text, status smallint, outcome text,
  code text, stream boolean, estimated boolean, fallback boolean, resumed boolean, hedged boolean,
  attempts smallint, total_ms integer, ttft_ms integer, overhead_us integer, upstream_ms integer,
  prompt_tokens bigint, completion_tokens bigint, cached_tokens bigint, reasoning_tokens bigint,
  cost_micro bigint, operator_cost_micro bigint, client_ip text)
LANGUAGE sql STABLE AS $$
  SELECT r.at, r.endpoint, r.model, r.provider, r.status, r.outcome, r.code, r.stream, r.estimated,
         r.fallback, r.resumed, r.hedged, r.attempts, r.total_ms, r.ttft_ms, r.overhead_us,
         r.upstream_ms, r.prompt_tokens, r.completion_tokens, r.cached_tokens, r.reasoning_tokens,
         r.cost_micro, coalesce(to_operator, r.operator_cost_micro), r.client_ip
    FROM request_row(its_request, its_line, written, charged) r
$$;

-- Takes over charges that came without their line or after it, in portions of most; returns their
-- number. Charges that came later than the given time still wait for their line.
CREATE OR REPLACE FUNCTION request_view_take_late(came_before timestamptz, most integer) RETURNS integer
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
           operator_cost_micro = coalesce(
             (SELECT l.operator_cost_micro FROM request_log l
               WHERE l.day = s.day AND l.request_id = s.request_id),
             CASE v.operator_cost_micro WHEN v.cost_micro THEN s.cost_micro
                  ELSE v.operator_cost_micro END)
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

-- Makes an hour of the view and of its sums anew from the log and the settlements; returns the
-- number of its requests. An hour whose log was dropped stays as it is.
-- first, behind: the ids of its requests are not less than the one, and less than the other.
CREATE OR REPLACE FUNCTION request_view_rebuild(hour timestamptz, first text, behind text) RETURNS integer
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
       CROSS JOIN LATERAL request_row_v2(
             request_id, coalesce(request_line(l.row), request_line_of_charge(day, request_id)),
             coalesce(l.at, s.at), coalesce(s.cost_micro, 0), l.operator_cost_micro) r
      ON CONFLICT DO NOTHING
      RETURNING v AS one)
    SELECT array_agg(f.one) INTO added FROM fresh f;
    made := made + usage_add(added, 1);
  END LOOP;
  RETURN made;
END $$;
