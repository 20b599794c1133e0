-- Secrets of webhooks may be sealed with a master key of the configuration, and what waits for one
-- that a node lacks is left to others.

-- key: what sealed the secret, which is then a nonce of 12 bytes, 32 bytes and a tag of 16; null: it
-- lies in the clear.
ALTER TABLE organization
  DROP CONSTRAINT organization_webhook_secret_check,
  DROP CONSTRAINT organization_webhook_secret_before_check,
  ADD COLUMN webhook_secret_key        text,
  ADD COLUMN webhook_secret_before_key text,
  ADD CONSTRAINT organization_webhook_secret_form
    CHECK (octet_length(webhook_secret)
           = CASE WHEN webhook_secret_key IS NULL THEN 32 ELSE 60 END),
  ADD CONSTRAINT organization_webhook_secret_before_form
    CHECK (CASE WHEN webhook_secret_before IS NULL THEN webhook_secret_before_key IS NULL
                ELSE octet_length(webhook_secret_before)
                     = CASE WHEN webhook_secret_before_key IS NULL THEN 32 ELSE 60 END END);

-- Whether whoever has these master keys can sign for an organization with all that it is to sign
-- with.
CREATE FUNCTION webhook_opens(o organization, t timestamptz, its_keys text[]) RETURNS boolean
LANGUAGE sql STABLE
  RETURN (o.webhook_secret_key IS NULL OR o.webhook_secret_key = ANY (its_keys))
     AND (o.webhook_secret_before_key IS NULL OR o.webhook_secret_before_until <= t
          OR o.webhook_secret_before_key = ANY (its_keys));

DROP FUNCTION webhook_claim(text, integer, integer, integer, integer, integer, interval, interval);

-- Takes what is due, under a lease. Places are counted over all nodes, but for most and slow_most,
-- which are those of the node; so one claim is made at a time. Receivers are stepped through by
-- their index: however much waits for a dead one, its first few are all that is looked at. Whoever
-- has no place left puts nothing forward, so that it keeps nobody else from one. Of an
-- organization's and of a host's places slow receivers have half. First attempts go first, and
-- organizations take turns; slow receivers come last, and among them whoever waits for the longest
-- is first, or their later attempts would never be made. Organizations whose secrets are sealed with
-- a master key that the node lacks are left to nodes that have it. What was put back holds a place of
-- its receiver and of its organization until its pause is over, but none of a host that others share.
CREATE FUNCTION webhook_claim(
  its_worker text, most integer, slow_most integer, receiver_most integer, host_most integer,
  org_most integer, lease_for interval, first_wait interval,
  its_keys text[])
RETURNS TABLE (
  id uuid, org_id uuid, job_id uuid, event text, url text, request_id text, lease integer,
  attempt integer, age double precision, secret bytea, secret_key text, secret_before bytea,
  secret_before_key text)
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
        FROM taken WHERE taken.leased_by IS NOT NULL GROUP BY 1),
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
        JOIN organization its ON its.id = r.org_id AND webhook_opens(its, t, its_keys)
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
              o.webhook_secret_key,
              CASE WHEN o.webhook_secret_before_until > t THEN o.webhook_secret_before END,
              o.webhook_secret_before_key;
END $$;

-- Puts an event back that cannot be signed, until the pause is over, and says why in its history,
-- once until something else happens to it. That is no attempt. Returns whether it said so.
CREATE FUNCTION webhook_hold(
  its_id uuid, its_worker text, its_lease integer, cause text, pause interval)
RETURNS boolean LANGUAGE sql SET search_path FROM CURRENT AS $$
  WITH now AS MATERIALIZED (SELECT ledger_now() AS t),
  its AS (
    SELECT e.id, e.last_error FROM webhook_event e
     WHERE e.id = its_id AND e.state = 'pending' AND e.leased_by = its_worker
       AND e.lease = its_lease
       FOR UPDATE),
  held AS (
    UPDATE webhook_event e
       SET leased_by = NULL, lease_until = now.t + pause, last_error = cause, last_status = NULL
      FROM its, now
     WHERE e.id = its.id
    RETURNING e.id, e.org_id, e.job_id, e.attempts, e.lease, now.t,
              its.last_error IS DISTINCT FROM cause AS is_news),
  told AS (
    INSERT INTO webhook_delivery (event_id, org_id, job_id, attempt, at, took_millis, outcome,
                                  lease)
    SELECT held.id, held.org_id, held.job_id, held.attempts + 1, held.t, 0, cause, held.lease
      FROM held WHERE held.is_news
    ON CONFLICT (event_id, lease) DO NOTHING
    RETURNING 1)
  SELECT EXISTS (SELECT FROM told)
$$;

-- Counts what has been due for so long that somebody should have signed it: what waits for a master
-- key that this node lacks, and what nobody can sign. Says so in the history of the former, some at
-- a time, as nobody takes them to find out.
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
  told AS (
    UPDATE webhook_event e SET last_error = 'key_missing', last_status = NULL
      FROM due WHERE e.id = due.id
    RETURNING e.id, e.org_id, e.job_id, e.attempts)
  INSERT INTO webhook_delivery (event_id, org_id, job_id, attempt, at, took_millis, outcome)
  SELECT told.id, told.org_id, told.job_id, told.attempts + 1, t, 0, 'key_missing' FROM told;
  RETURN QUERY
    SELECT count(*) FILTER (WHERE NOT webhook_opens(o, t, its_keys)),
           count(*) FILTER (WHERE webhook_opens(o, t, its_keys)
                              AND e.last_error = 'secret_damaged')
      FROM webhook_event e JOIN organization o ON o.id = e.org_id
     WHERE e.state = 'pending' AND e.next_attempt_at <= t - since;
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
