-- expand
-- Webhooks: whose turn it is, and the outcome of each attempt. A query looks a row up by its id
-- alone and then checks the rest in the row, whatever the statistics say: if rows are counted while
-- no event is pending, a scan of the index of pending events seems to be free.

-- Whether a node that has these master keys can sign for an organization with all secrets that it
-- is to sign with.
CREATE FUNCTION webhook_opens(o organization, t timestamptz, its_keys text[]) RETURNS boolean
LANGUAGE sql STABLE
  RETURN (o.webhook_secret_key IS NULL OR o.webhook_secret_key = ANY (its_keys))
     AND (o.webhook_secret_before_key IS NULL OR o.webhook_secret_before_until <= t
          OR o.webhook_secret_before_key = ANY (its_keys));

-- Claims events that are due, under a lease. Places are counted over all nodes, except most and
-- slow_most, which are those of the node; so one claim is made at a time. Receivers are stepped
-- through by their index: however many events wait for a receiver that is down, only the first few
-- are read. A receiver without a free place puts no event forward, so that it keeps no other from
-- one. Slow receivers have half of the places of an organization and of a host. First attempts go
-- first, and organizations take turns; slow receivers come last, and among them the one that waits
-- for the longest is first, or their later attempts would never be made. Events are chosen first,
-- then locked by their id. The state of a receiver and of its organization is looked up for those
-- that wait, not for all.
CREATE FUNCTION webhook_claim(
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
                              ORDER BY due.slow, due.nth, due.later,
                                       due.next_attempt_at) AS nth_any,

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

-- Records the outcome of an attempt, whatever follows: it was made. next: 'delivered', 'gone',
-- 'failed' or 'again', after a pause. A worker that lost its lease decides nothing, except that the
-- receiver has the event: then it is not sent again. An event that was sent again meanwhile begins
-- anew all the same. slow_millis: a receiver that takes so long is slow until it does not; null:
-- none was called. Returns whether the outcome decided. Booking twice is booking once.
CREATE FUNCTION webhook_book(
  its_id uuid, its_worker text, its_lease integer, its_number integer, its_outcome text,
  its_status integer, took_millis bigint, next text, pause interval, slow_millis bigint)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  its   webhook_event;
  t     timestamptz := ledger_now();
  mine  boolean;
BEGIN
  SELECT * INTO its FROM webhook_event e WHERE e.id = its_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO webhook_delivery (event_id, org_id, job_id, attempt, at, took_millis, outcome,
                                status, lease)
  VALUES (its.id, its.org_id, its.job_id, its_number, t, took_millis, its_outcome, its_status,
          its_lease)
  ON CONFLICT (event_id, lease) DO NOTHING;
  IF NOT FOUND THEN
    RETURN true;
  END IF;
  IF took_millis >= slow_millis THEN
    INSERT INTO webhook_slow AS s VALUES (its.org_id, webhook_host(its.url), t)
    ON CONFLICT (org_id, host) DO UPDATE SET seen_at = greatest(s.seen_at, excluded.seen_at);
  ELSIF took_millis < slow_millis THEN
    DELETE FROM webhook_slow s WHERE s.org_id = its.org_id AND s.host = webhook_host(its.url);
  END IF;
  mine := its.lease = its_lease AND its.leased_by = its_worker;
  IF its_lease > its.resent
     AND (its.state = 'pending' AND mine
          OR its.state IN ('pending', 'failed') AND next = 'delivered') THEN
    UPDATE webhook_event e
       SET state = CASE next WHEN 'again' THEN 'pending' ELSE next END,
           attempts = its_number,
           next_attempt_at = CASE next WHEN 'again' THEN t + pause ELSE e.next_attempt_at END,
           leased_by = NULL, lease_until = NULL, last_status = its_status,
           last_error = CASE next WHEN 'delivered' THEN NULL ELSE its_outcome END
     WHERE e.id = its_id;
    RETURN true;
  END IF;
  IF mine THEN
    UPDATE webhook_event e SET leased_by = NULL, lease_until = NULL WHERE e.id = its_id;
  END IF;
  RETURN false;
END $$;

-- Gives back an event that cannot be signed until the pause is over, and records the cause as a
-- delivery, once until something else happens to the event. That is no attempt. Returns whether it
-- recorded it.
CREATE FUNCTION webhook_hold(
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

-- Gives a lease back, as if the event had not been claimed; it is not claimed before the pause is
-- over.
CREATE FUNCTION webhook_release(
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

-- Begins the schedule of an event anew: 'again', or why not: 'unknown' or 'removed' (its job is
-- gone). An attempt that is under way ends first, and changes nothing of that.
CREATE FUNCTION webhook_resend(its_id uuid) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
BEGIN
  UPDATE webhook_event e
     SET state = 'pending', attempts = 0, next_attempt_at = ledger_now(), resent = e.lease
    FROM media_job j
   WHERE e.id = its_id AND j.id = e.job_id AND j.removed_at IS NULL;
  IF FOUND THEN
    RETURN 'again';
  END IF;
  RETURN CASE WHEN EXISTS (SELECT 1 FROM webhook_event e WHERE e.id = its_id)
              THEN 'removed' ELSE 'unknown' END;
END $$;

-- Counts the pending events that are due for so long that they should have been signed: those that
-- wait for a master key that this node lacks, and those whose secret is damaged. Records the former
-- as deliveries, some at a time, because no node claims them to find out.
CREATE FUNCTION webhook_locked(its_keys text[], since interval, most integer)
RETURNS TABLE (key_missing bigint, secret_damaged bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  t timestamptz := ledger_now();
BEGIN
  WITH due AS (
    SELECT e.id FROM webhook_event e JOIN organization o ON o.id = e.org_id
     WHERE e.state = 'pending' AND e.next_attempt_at <= t - since
       AND (e.lease_until IS NULL OR e.lease_until <= t)
       AND e.last_error IS DISTINCT FROM 'key_missing' AND NOT webhook_opens(o, t, its_keys)
     ORDER BY e.next_attempt_at LIMIT most
       FOR UPDATE OF e SKIP LOCKED),
  failed AS (
    UPDATE webhook_event e SET last_error = 'key_missing', last_status = NULL
      FROM due WHERE e.id = due.id
    RETURNING e.id, e.org_id, e.job_id, e.attempts)
  INSERT INTO webhook_delivery (event_id, org_id, job_id, attempt, at, took_millis, outcome)
  SELECT failed.id, failed.org_id, failed.job_id, failed.attempts + 1, t, 0, 'key_missing' FROM failed;
  RETURN QUERY
    SELECT count(*) FILTER (WHERE NOT webhook_opens(o, t, its_keys)),
           count(*) FILTER (WHERE webhook_opens(o, t, its_keys)
                              AND e.last_error = 'secret_damaged')
      FROM webhook_event e JOIN organization o ON o.id = e.org_id
     WHERE e.state = 'pending' AND e.next_attempt_at <= t - since;
END $$;

-- Deletes some of the attempts that are older, secrets that sign nothing any more, and slow
-- receivers that were not called for longer than any pause of a schedule; returns how many
-- attempts.
CREATE FUNCTION webhook_tidy(kept interval, most integer) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  t    timestamptz := ledger_now();
  gone integer;
BEGIN
  UPDATE organization
     SET webhook_secret_before = NULL, webhook_secret_before_key = NULL,
         webhook_secret_before_until = NULL
   WHERE webhook_secret_before_until <= t;
  DELETE FROM webhook_slow s
   WHERE (s.org_id, s.host) IN (SELECT o.org_id, o.host FROM webhook_slow o
                                 WHERE o.seen_at < t - interval '1 day'
                                 ORDER BY o.seen_at LIMIT most FOR UPDATE SKIP LOCKED);
  DELETE FROM webhook_delivery
   WHERE id IN (SELECT d.id FROM webhook_delivery d WHERE d.at < t - kept
                 ORDER BY d.at LIMIT most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;
