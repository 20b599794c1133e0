-- Receivers are told apart by organization and host, those that are slow have at most half of what
-- is shared, and an attempt knows the lease under which it was made.

-- lease: how often the event was taken, which names the lease that it has or had last. resent:
-- leases up to this one are of before it was sent again, and say nothing of what comes since.
ALTER TABLE webhook_event
  ADD COLUMN lease  integer NOT NULL DEFAULT 0,
  ADD COLUMN resent integer NOT NULL DEFAULT 0;

-- An attempt is written down once, however often it is booked; null: of before this was known.
ALTER TABLE webhook_delivery ADD COLUMN lease integer;
CREATE UNIQUE INDEX webhook_delivery_once ON webhook_delivery (event_id, lease);

-- Receivers whose last attempt took long.
CREATE TABLE webhook_slow (
  org_id  uuid        NOT NULL,
  host    text        COLLATE "C" NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, host)
);

CREATE INDEX webhook_slow_by_time ON webhook_slow (seen_at);

DROP INDEX webhook_event_by_host;
CREATE INDEX webhook_event_by_receiver
  ON webhook_event (org_id, webhook_host(url), next_attempt_at) WHERE state = 'pending';

DROP FUNCTION webhook_claim(text, integer, integer, integer, interval, interval);
DROP FUNCTION webhook_book(uuid, text, integer, text, integer, bigint, text, interval);
DROP FUNCTION webhook_release(uuid, text);

-- Takes what is due, under a lease. Places are counted over all nodes, but for most and slow_most,
-- which are those of the node; so one claim is made at a time. Receivers are stepped through by
-- their index: however much waits for a dead one, its first few are all that is looked at. Whoever
-- has no place left puts nothing forward, so that it keeps nobody else from one. Of an
-- organization's and of a host's places slow receivers have half. First attempts go first, and
-- organizations take turns; slow receivers come last, and among them whoever waits for the longest
-- is first, or their later attempts would never be made.
CREATE FUNCTION webhook_claim(
  its_worker text, most integer, slow_most integer, receiver_most integer, host_most integer,
  org_most integer, lease_for interval, first_wait interval)
RETURNS TABLE (
  id uuid, org_id uuid, job_id uuid, event text, url text, request_id text, lease integer,
  attempt integer, age double precision, secret bytea, secret_before bytea)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  t timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(7455834);
  t := ledger_now();
  RETURN QUERY
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
      SELECT h.org_id, h.host, h.leased_by, s.host IS NOT NULL AS slow
        FROM (SELECT e.org_id, webhook_host(e.url) AS host, e.leased_by FROM webhook_event e
               WHERE e.state = 'pending' AND e.lease_until > t) h
        LEFT JOIN webhook_slow s ON s.org_id = h.org_id AND s.host = h.host),
    of_receiver AS MATERIALIZED (
      SELECT taken.org_id, taken.host, count(*) AS held FROM taken GROUP BY 1, 2),
    of_host AS MATERIALIZED (
      SELECT taken.host, count(*) AS held, count(*) FILTER (WHERE taken.slow) AS held_slow
        FROM taken GROUP BY 1),
    of_org AS MATERIALIZED (
      SELECT taken.org_id, count(*) AS held, count(*) FILTER (WHERE taken.slow) AS held_slow
        FROM taken GROUP BY 1),
    free AS (
      SELECT r.org_id, r.host, s.host IS NOT NULL AS slow,
             receiver_most - coalesce(mine.held, 0) AS here,
             CASE WHEN s.host IS NULL THEN host_most - coalesce(h.held, 0)
                  ELSE least(host_most - coalesce(h.held, 0),
                             host_most / 2 - coalesce(h.held_slow, 0)) END AS host_free,
             CASE WHEN s.host IS NULL THEN org_most - coalesce(o.held, 0)
                  ELSE least(org_most - coalesce(o.held, 0),
                             org_most / 2 - coalesce(o.held_slow, 0)) END AS org_free
        FROM receiver r
        LEFT JOIN webhook_slow s ON s.org_id = r.org_id AND s.host = r.host
        LEFT JOIN of_receiver mine ON mine.org_id = r.org_id AND mine.host = r.host
        LEFT JOIN of_host h ON h.host = r.host
        LEFT JOIN of_org o ON o.org_id = r.org_id),
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
       WHERE i.turn_alike <= i.org_free),
    chosen AS (
      SELECT c.id
        FROM (SELECT p.*, row_number() OVER (PARTITION BY p.slow
                                             ORDER BY p.place, p.next_attempt_at) AS nth_slow
                FROM placed p
               WHERE p.place <= org_most) c
       WHERE NOT c.slow
          OR c.nth_slow <= slow_most - (SELECT count(*) FROM taken
                                         WHERE taken.slow AND taken.leased_by = its_worker)
       ORDER BY c.slow, c.later, c.place, c.next_attempt_at LIMIT most),
    held AS (
      SELECT e.id FROM webhook_event e
       WHERE e.id IN (SELECT chosen.id FROM chosen) AND e.state = 'pending'
         AND (e.lease_until IS NULL OR e.lease_until <= t)
         FOR UPDATE SKIP LOCKED)
    UPDATE webhook_event e
       SET leased_by = its_worker, lease_until = t + lease_for, lease = e.lease + 1
      FROM held, organization o
     WHERE e.id = held.id AND o.id = e.org_id
    RETURNING e.id, e.org_id, e.job_id, e.event, e.url, e.request_id, e.lease, e.attempts + 1,
              extract(epoch FROM t - e.next_attempt_at)::double precision, o.webhook_secret,
              CASE WHEN o.webhook_secret_before_until > t THEN o.webhook_secret_before END;
END $$;

-- Writes down what came of an attempt, whatever follows: it was made. next: 'delivered', 'gone',
-- 'failed' or 'again', after a pause. Whoever lost the lease decides nothing, unless the receiver
-- has it: then nobody need ask it again. What was sent again meanwhile begins anew all the same.
-- slow_millis: whoever takes so long is slow until it does not; null: nobody was asked. Returns
-- whether it decided. Booking twice is booking once.
CREATE FUNCTION webhook_book(
  its_id uuid, its_worker text, its_lease integer, its_number integer, its_outcome text,
  its_status integer, took_millis bigint, next text, pause interval, slow_millis bigint)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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

-- Gives a lease back, as if nothing had been claimed; nobody takes the event before the pause is
-- over.
CREATE FUNCTION webhook_release(its_id uuid, its_worker text, its_lease integer, pause interval)
RETURNS void LANGUAGE sql SET search_path FROM CURRENT AS $$
  UPDATE webhook_event SET leased_by = NULL, lease_until = ledger_now() + pause
   WHERE id = its_id AND state = 'pending' AND leased_by = its_worker AND lease = its_lease
$$;

-- Begins the schedule anew: 'again', or why not: 'unknown' or 'removed' (of its job there is nothing
-- left to tell). An attempt that is being made ends first, and changes nothing of that.
CREATE OR REPLACE FUNCTION webhook_resend(its_id uuid) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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

-- Forgets some of the attempts that are older, secrets that sign nothing any more, and receivers
-- that were slow and have not been asked for longer than any wait of a schedule; returns how many
-- attempts.
CREATE OR REPLACE FUNCTION webhook_tidy(kept interval, most integer) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  t    timestamptz := ledger_now();
  gone integer;
BEGIN
  UPDATE organization SET webhook_secret_before = NULL, webhook_secret_before_until = NULL
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
