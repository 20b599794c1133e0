-- A statement reads what it is about, whatever the statistics say. An index of what is pending is
-- empty when nothing is; if rows are counted then, a scan of all of it seems to cost nothing. So a
-- row is looked up by its name alone, and what it must be besides is looked at in the row. A plan
-- that was kept from when a table had one page reads all of that table until rows are counted
-- again: what finds its rows by an index may not do without it.

-- With a condition of its own: who looks for leases does not say that they are of what is pending.
DROP INDEX webhook_event_leased;
CREATE INDEX webhook_event_leased ON webhook_event (lease_until) WHERE lease_until IS NOT NULL;

-- As before, but for what is said above: what is due is chosen first, then taken up by its name.
-- What is known of a receiver and its organization is looked up for those that wait, not for all.
CREATE OR REPLACE FUNCTION webhook_claim(
  its_worker text, most integer, slow_most integer, receiver_most integer, host_most integer,
  org_most integer, lease_for interval, first_wait interval, its_keys text[])
RETURNS TABLE (
  id uuid, org_id uuid, job_id uuid, event text, url text, request_id text, lease integer,
  attempt integer, age double precision, secret bytea, secret_key text, secret_before bytea,
  secret_before_key text)
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  t       timestamptz;
  chosen  uuid[];
  its_id  uuid;
  its     webhook_event;
  its_org organization;
BEGIN
  PERFORM pg_advisory_xact_lock(7455834);
  t := ledger_now();
  WITH RECURSIVE receiver AS (
    (SELECT e.org_id, webhook_host(e.url) AS host FROM webhook_event e WHERE e.state = 'pending'
      ORDER BY e.org_id, webhook_host(e.url) LIMIT 1)
    UNION ALL
    SELECT n.org_id, n.host
      FROM receiver r
     CROSS JOIN LATERAL (
             SELECT e.org_id, webhook_host(e.url) AS host FROM webhook_event e
              WHERE e.state = 'pending'
                AND (e.org_id, webhook_host(e.url)) > (r.org_id, r.host)
              ORDER BY e.org_id, webhook_host(e.url) LIMIT 1) n),
  taken AS MATERIALIZED (
    SELECT h.org_id, h.host, h.leased_by,
           (SELECT s.host FROM webhook_slow s
             WHERE s.org_id = h.org_id AND s.host = h.host) IS NOT NULL AS slow
      FROM (SELECT e.org_id, webhook_host(e.url) AS host, e.leased_by, e.state
              FROM webhook_event e WHERE e.lease_until > t OFFSET 0) h
     WHERE h.state = 'pending'),
  of_receiver AS MATERIALIZED (
    SELECT taken.org_id, taken.host, count(*) AS held FROM taken GROUP BY 1, 2),
  of_host AS MATERIALIZED (
    SELECT taken.host, count(*) AS held, count(*) FILTER (WHERE taken.slow) AS held_slow
      FROM taken WHERE taken.leased_by IS NOT NULL GROUP BY 1),
  of_org AS MATERIALIZED (
    SELECT taken.org_id, count(*) AS held, count(*) FILTER (WHERE taken.slow) AS held_slow
      FROM taken GROUP BY 1),
  known AS MATERIALIZED (
    SELECT r.org_id, r.host,
           (SELECT s.host FROM webhook_slow s
             WHERE s.org_id = r.org_id AND s.host = r.host) IS NOT NULL AS slow
      FROM receiver r
     WHERE (SELECT webhook_opens(o, t, its_keys) FROM organization o WHERE o.id = r.org_id)),
  free AS (
    SELECT k.org_id, k.host, k.slow,
           receiver_most - coalesce(mine.held, 0) AS here,
           CASE WHEN NOT k.slow THEN host_most - coalesce(h.held, 0)
                ELSE least(host_most - coalesce(h.held, 0),
                           host_most / 2 - coalesce(h.held_slow, 0)) END AS host_free,
           CASE WHEN NOT k.slow THEN org_most - coalesce(o.held, 0)
                ELSE least(org_most - coalesce(o.held, 0),
                           org_most / 2 - coalesce(o.held_slow, 0)) END AS org_free
      FROM known k
      LEFT JOIN of_receiver mine ON mine.org_id = k.org_id AND mine.host = k.host
      LEFT JOIN of_host h ON h.host = k.host
      LEFT JOIN of_org o ON o.org_id = k.org_id),
  due AS (
    SELECT f.org_id, f.host, f.slow, f.host_free, f.org_free,
           d.id, d.attempts > 0 AND NOT f.slow AS later, d.next_attempt_at,
           row_number() OVER (PARTITION BY f.org_id, f.host ORDER BY d.next_attempt_at) AS nth
      FROM free f
     CROSS JOIN LATERAL (
             SELECT e.id, e.attempts, e.next_attempt_at FROM webhook_event e
              WHERE e.state = 'pending' AND e.org_id = f.org_id AND webhook_host(e.url) = f.host
                AND e.next_attempt_at <= t
                AND (e.lease_until IS NULL OR e.lease_until <= t)
                AND (e.attempts > 0 OR e.created_at + first_wait <= t)
              ORDER BY e.next_attempt_at
              LIMIT greatest(0, least(f.here, f.host_free, f.org_free))) d),
  numbered AS (
    SELECT due.*,
           row_number() OVER (PARTITION BY due.host
                              ORDER BY due.slow, due.nth, due.later, due.next_attempt_at) AS nth_any,
           row_number() OVER (PARTITION BY due.host, due.slow
                              ORDER BY due.nth, due.next_attempt_at) AS nth_alike
      FROM due),
  in_turn AS (
    SELECT a.*,
           row_number() OVER (PARTITION BY a.org_id
                              ORDER BY a.slow, a.later, a.next_attempt_at) AS turn,
           row_number() OVER (PARTITION BY a.org_id, a.slow
                              ORDER BY a.later, a.next_attempt_at) AS turn_alike
      FROM numbered a
     WHERE a.nth_alike <= a.host_free
       AND a.nth_any <= host_most - coalesce((SELECT h.held FROM of_host h
                                               WHERE h.host = a.host), 0)),
  placed AS (
    SELECT i.*, i.turn + coalesce((SELECT o.held FROM of_org o WHERE o.org_id = i.org_id), 0)
                AS place
      FROM in_turn i
     WHERE i.turn_alike <= i.org_free)
  SELECT array_agg(l.id) INTO chosen
    FROM (SELECT c.id
            FROM (SELECT p.*, row_number() OVER (PARTITION BY p.slow
                                                 ORDER BY p.place, p.next_attempt_at) AS nth_slow
                    FROM placed p
                   WHERE p.place <= org_most) c
           WHERE NOT c.slow
              OR c.nth_slow <= slow_most - (SELECT count(*) FROM taken
                                             WHERE taken.slow AND taken.leased_by = its_worker)
           ORDER BY c.slow, c.later, c.place, c.next_attempt_at LIMIT most) l;
  IF chosen IS NULL THEN
    RETURN;
  END IF;
  FOREACH its_id IN ARRAY chosen LOOP
    SELECT * INTO its FROM webhook_event e WHERE e.id = its_id FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND OR its.state <> 'pending' OR its.lease_until > t;
    UPDATE webhook_event e
       SET leased_by = its_worker, lease_until = t + lease_for, lease = e.lease + 1
     WHERE e.id = its_id;
    SELECT * INTO its_org FROM organization o WHERE o.id = its.org_id;
    RETURN QUERY SELECT
      its.id, its.org_id, its.job_id, its.event, its.url, its.request_id, its.lease + 1,
      its.attempts + 1, extract(epoch FROM t - its.next_attempt_at)::double precision,
      its_org.webhook_secret, its_org.webhook_secret_key,
      CASE WHEN its_org.webhook_secret_before_until > t THEN its_org.webhook_secret_before END,
      its_org.webhook_secret_before_key;
  END LOOP;
END $$;

-- Puts an event back that cannot be signed, until the pause is over, and says why in its history,
-- once until something else happens to it. That is no attempt. Returns whether it said so.
CREATE OR REPLACE FUNCTION webhook_hold(
  its_id uuid, its_worker text, its_lease integer, cause text, pause interval)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  t   timestamptz := ledger_now();
  its webhook_event;
BEGIN
  SELECT * INTO its FROM webhook_event e WHERE e.id = its_id FOR UPDATE;
  IF its.state IS DISTINCT FROM 'pending' OR its.leased_by IS DISTINCT FROM its_worker
     OR its.lease <> its_lease THEN
    RETURN false;
  END IF;
  UPDATE webhook_event e
     SET leased_by = NULL, lease_until = t + pause, last_error = cause, last_status = NULL
   WHERE e.id = its_id;
  IF its.last_error IS NOT DISTINCT FROM cause THEN
    RETURN false;
  END IF;
  INSERT INTO webhook_delivery (event_id, org_id, job_id, attempt, at, took_millis, outcome, lease)
  VALUES (its.id, its.org_id, its.job_id, its.attempts + 1, t, 0, cause, its.lease)
  ON CONFLICT (event_id, lease) DO NOTHING;
  RETURN FOUND;
END $$;

-- Gives a lease back, as if nothing had been claimed; nobody takes the event before the pause is
-- over.
CREATE OR REPLACE FUNCTION webhook_release(
  its_id uuid, its_worker text, its_lease integer, pause interval)
RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  its webhook_event;
BEGIN
  SELECT * INTO its FROM webhook_event e WHERE e.id = its_id FOR UPDATE;
  IF its.state = 'pending' AND its.leased_by = its_worker AND its.lease = its_lease THEN
    UPDATE webhook_event e SET leased_by = NULL, lease_until = ledger_now() + pause
     WHERE e.id = its_id;
  END IF;
END $$;

-- Removes a job that is over: 'removed', or it is 'open' or 'unknown'. What a replay of its
-- submission is told stays for as long as that is remembered; its artifacts are due to be deleted.
CREATE OR REPLACE FUNCTION job_remove(its_org uuid, its_kind text, its_id uuid) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  its_job   media_job;
  its_event webhook_event;
  t         timestamptz := ledger_now();
BEGIN
  SELECT * INTO its_job FROM media_job j
   WHERE j.id = its_id AND j.removed_at IS NULL
     AND (its_org IS NULL OR j.org_id = its_org) AND (its_kind IS NULL OR j.kind = its_kind)
     FOR UPDATE;
  IF NOT FOUND THEN
    RETURN 'unknown';
  ELSIF its_job.completed_at IS NULL THEN
    RETURN 'open';
  END IF;
  SELECT * INTO its_event FROM webhook_event w WHERE w.job_id = its_id FOR UPDATE;
  IF its_event.state = 'pending' THEN
    DELETE FROM webhook_event w WHERE w.id = its_event.id;
  END IF;
  UPDATE media_job j
     SET removed_at = t, params = '{}', metadata = '{}', webhook_url = NULL,
         error_message = CASE WHEN j.error_code IS NULL THEN NULL ELSE '' END,
         retain_until = CASE WHEN j.retain_until IS NULL THEN NULL ELSE t END
   WHERE j.id = its_id;
  RETURN 'removed';
END $$;

-- Whether something of a job is left besides its row. What refers to it is asked for that job
-- alone: such questions cannot become a join with all there is.
CREATE FUNCTION job_is_referred_to(its_id uuid) RETURNS boolean LANGUAGE sql STABLE
  RETURN (SELECT a.job_id FROM media_artifact a WHERE a.job_id = its_id LIMIT 1) IS NOT NULL
      OR (SELECT w.state FROM webhook_event w WHERE w.job_id = its_id)
           IS NOT DISTINCT FROM 'pending'
      OR (SELECT i.job_id FROM idempotency i WHERE i.job_id = its_id LIMIT 1) IS NOT NULL;

-- Forgets jobs that were over for so long, or were removed, and that nothing refers to any more;
-- returns how many.
CREATE OR REPLACE FUNCTION job_tidy(kept interval, most integer) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  t    timestamptz := ledger_now();
  jobs uuid[];
BEGIN
  SELECT array_agg(o.id) INTO jobs
    FROM ((SELECT j.id FROM media_job j
            WHERE j.completed_at <= t - kept AND NOT job_is_referred_to(j.id)
            ORDER BY j.completed_at LIMIT most)
          UNION
          (SELECT j.id FROM media_job j
            WHERE j.removed_at IS NOT NULL AND NOT job_is_referred_to(j.id)
            ORDER BY j.removed_at LIMIT most)
          LIMIT most) o;
  SELECT array_agg(l.id) INTO jobs
    FROM (SELECT j.id FROM media_job j WHERE j.id = ANY (jobs) FOR UPDATE SKIP LOCKED) l;
  IF jobs IS NULL THEN
    RETURN 0;
  END IF;
  DELETE FROM webhook_event w WHERE w.job_id = ANY (jobs);
  DELETE FROM media_job j WHERE j.id = ANY (jobs);
  RETURN cardinality(jobs);
END $$;

-- Forgets artifacts and images whose bytes were deleted.
CREATE OR REPLACE FUNCTION job_artifacts_forget(ids uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  jobs   uuid[];
  its_id uuid;
BEGIN
  DELETE FROM media_image i WHERE i.id = ANY (ids);
  SELECT array_agg(a.job_id) INTO jobs FROM media_artifact a WHERE a.id = ANY (ids);
  FOR its_id IN SELECT DISTINCT j.id FROM unnest(jobs) AS j (id) ORDER BY 1 LOOP
    PERFORM 1 FROM media_job j WHERE j.id = its_id FOR UPDATE;
  END LOOP;
  DELETE FROM media_artifact a WHERE a.id = ANY (ids);
  UPDATE media_job j SET retain_until = NULL
   WHERE j.id = ANY (jobs)
     AND (SELECT a.job_id FROM media_artifact a WHERE a.job_id = j.id LIMIT 1) IS NULL;
END $$;

-- Forgets some of what expired; returns how many. What runs has a lease. The time is taken once: no
-- index finds what lies before a clock that goes on.
CREATE OR REPLACE FUNCTION idempotency_tidy(most integer) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  t    timestamptz := clock_timestamp();
  gone integer;
BEGIN
  -- By where the rows are: they are locked, and no join can look for them among all.
  DELETE FROM idempotency
   WHERE ctid = ANY (ARRAY(
           SELECT i.ctid FROM idempotency i
            WHERE i.expires_at <= t AND i.lease_until <= t
            ORDER BY i.expires_at LIMIT most FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;

ALTER FUNCTION idempotency_claim(
  uuid, text, text, bytea, text, interval, interval, integer, text, text[], text[], bytea)
  SET enable_seqscan = off;
ALTER FUNCTION webhook_book(
  uuid, text, integer, integer, text, integer, bigint, text, interval, bigint)
  SET enable_seqscan = off;
ALTER FUNCTION webhook_resend(uuid) SET enable_seqscan = off;
ALTER FUNCTION job_artifacts_take(integer) SET enable_seqscan = off;
ALTER FUNCTION media_job_images_over() SET enable_seqscan = off;
