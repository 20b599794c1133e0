-- Announcements: whose turn it is, what came of each attempt, and what signs them.

-- The secret before the present one, for receivers that have not heard of it yet.
ALTER TABLE organization
  ADD COLUMN webhook_secret_before       bytea CHECK (octet_length(webhook_secret_before) = 32),
  ADD COLUMN webhook_secret_before_until timestamptz,
  ADD CHECK ((webhook_secret_before IS NULL) = (webhook_secret_before_until IS NULL));

-- Whom a URL names, without the port: a host that is dead is dead at all of them.
CREATE FUNCTION webhook_host(url text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN coalesce(rtrim(lower(substring(url FROM '://(\[[^]]*\]|[^/?#:]*)')), '.'), '')
         COLLATE "C";

DROP INDEX webhook_event_due;
CREATE INDEX webhook_event_by_host ON webhook_event (webhook_host(url), next_attempt_at)
  WHERE state = 'pending';
CREATE INDEX webhook_event_leased ON webhook_event (lease_until)
  WHERE state = 'pending' AND lease_until IS NOT NULL;

-- What came of each attempt. Without references: it is kept for longer than jobs are.
CREATE TABLE webhook_delivery (
  id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id    uuid        NOT NULL,
  org_id      uuid        NOT NULL,
  job_id      uuid        NOT NULL,
  attempt     integer     NOT NULL CHECK (attempt > 0),
  at          timestamptz NOT NULL,
  took_millis bigint      NOT NULL CHECK (took_millis >= 0),
  outcome     text        NOT NULL,
  status      integer
);

CREATE INDEX webhook_delivery_by_event ON webhook_delivery (event_id, id);
CREATE INDEX webhook_delivery_by_time ON webhook_delivery (at);

-- Takes what is due, under a lease. The places of a host and of an organization are counted over all
-- nodes, so one claim is made at a time. Hosts are stepped through by their index: however much
-- waits for a dead one, its first few are all that is looked at. First attempts go first, and
-- organizations take turns.
CREATE FUNCTION webhook_claim(
  its_worker text, most integer, host_most integer, org_most integer, lease interval,
  first_wait interval)
RETURNS TABLE (
  id uuid, org_id uuid, job_id uuid, event text, url text, request_id text, attempt integer,
  age double precision, secret bytea, secret_before bytea)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  t timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(7455834);
  t := ledger_now();
  RETURN QUERY
    WITH RECURSIVE host AS (
      (SELECT webhook_host(e.url) AS name FROM webhook_event e WHERE e.state = 'pending'
        ORDER BY webhook_host(e.url) LIMIT 1)
      UNION ALL
      SELECT (SELECT webhook_host(e.url) FROM webhook_event e
               WHERE e.state = 'pending' AND webhook_host(e.url) > host.name
               ORDER BY webhook_host(e.url) LIMIT 1)
        FROM host WHERE host.name IS NOT NULL),
    taken AS MATERIALIZED (
      SELECT webhook_host(e.url) AS host, e.org_id FROM webhook_event e
       WHERE e.state = 'pending' AND e.lease_until > t),
    due AS (
      SELECT d.id, d.org_id, d.attempts > 0 AS again, d.next_attempt_at
        FROM host
       CROSS JOIN LATERAL (
               SELECT e.id, e.org_id, e.attempts, e.next_attempt_at FROM webhook_event e
                WHERE e.state = 'pending' AND webhook_host(e.url) = host.name
                  AND e.next_attempt_at <= t
                  AND (e.lease_until IS NULL OR e.lease_until <= t)
                  AND (e.attempts > 0 OR e.created_at + first_wait <= t)
                ORDER BY e.next_attempt_at
                LIMIT greatest(0, host_most - (SELECT count(*) FROM taken
                                                WHERE taken.host = host.name))) d
       WHERE host.name IS NOT NULL),
    placed AS (
      SELECT due.id, due.again, due.next_attempt_at,
             row_number() OVER (PARTITION BY due.org_id ORDER BY due.again, due.next_attempt_at)
               + (SELECT count(*) FROM taken WHERE taken.org_id = due.org_id) AS place
        FROM due),
    chosen AS (
      SELECT placed.id FROM placed WHERE placed.place <= org_most
       ORDER BY placed.again, placed.place, placed.next_attempt_at LIMIT most),
    held AS (
      SELECT e.id FROM webhook_event e
       WHERE e.id IN (SELECT chosen.id FROM chosen) AND e.state = 'pending'
         AND (e.lease_until IS NULL OR e.lease_until <= t)
         FOR UPDATE SKIP LOCKED)
    UPDATE webhook_event e SET leased_by = its_worker, lease_until = t + lease
      FROM held, organization o
     WHERE e.id = held.id AND o.id = e.org_id
    RETURNING e.id, e.org_id, e.job_id, e.event, e.url, e.request_id, e.attempts + 1,
              extract(epoch FROM t - e.created_at)::double precision, o.webhook_secret,
              CASE WHEN o.webhook_secret_before_until > t THEN o.webhook_secret_before END;
END $$;

-- Writes down what came of an attempt. next: 'delivered', 'gone', 'failed' or 'again', after a
-- pause. Whoever lost the lease changes nothing, unless the receiver has it: then nobody need ask it
-- again. Booking twice is booking once.
CREATE FUNCTION webhook_book(
  its_id uuid, its_worker text, its_number integer, its_outcome text, its_status integer,
  took_millis bigint, next text, pause interval)
RETURNS void LANGUAGE sql SET search_path FROM CURRENT AS $$
  WITH now AS MATERIALIZED (SELECT ledger_now() AS t),
  booked AS (
    UPDATE webhook_event e
       SET state = CASE next WHEN 'again' THEN 'pending' ELSE next END,
           attempts = its_number,
           next_attempt_at = CASE next WHEN 'again' THEN now.t + pause ELSE e.next_attempt_at END,
           leased_by = NULL, lease_until = NULL, last_status = its_status,
           last_error = CASE next WHEN 'delivered' THEN NULL ELSE its_outcome END
      FROM now
     WHERE e.id = its_id AND e.state = 'pending'
       AND (e.leased_by = its_worker OR next = 'delivered')
    RETURNING e.id, e.org_id, e.job_id, now.t)
  INSERT INTO webhook_delivery (event_id, org_id, job_id, attempt, at, took_millis, outcome, status)
  SELECT booked.id, booked.org_id, booked.job_id, its_number, booked.t, took_millis, its_outcome,
         its_status
    FROM booked
$$;

-- Gives a lease back, as if nothing had been claimed.
CREATE FUNCTION webhook_release(its_id uuid, its_worker text)
RETURNS void LANGUAGE sql SET search_path FROM CURRENT AS $$
  UPDATE webhook_event SET leased_by = NULL, lease_until = NULL
   WHERE id = its_id AND state = 'pending' AND leased_by = its_worker
$$;

-- Begins the schedule anew: 'again', or why not: 'unknown' or 'removed' (of its job there is nothing
-- left to tell).
CREATE FUNCTION webhook_resend(its_id uuid) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE webhook_event e SET state = 'pending', attempts = 0, next_attempt_at = ledger_now()
    FROM media_job j
   WHERE e.id = its_id AND j.id = e.job_id AND j.removed_at IS NULL;
  IF FOUND THEN
    RETURN 'again';
  END IF;
  RETURN CASE WHEN EXISTS (SELECT 1 FROM webhook_event e WHERE e.id = its_id)
              THEN 'removed' ELSE 'unknown' END;
END $$;

-- Forgets some of the attempts that are older; returns how many.
CREATE FUNCTION webhook_tidy(kept interval, most integer) RETURNS integer
LANGUAGE sql SET search_path FROM CURRENT AS $$
  WITH gone AS (
    DELETE FROM webhook_delivery
     WHERE id IN (SELECT d.id FROM webhook_delivery d WHERE d.at < ledger_now() - kept
                   ORDER BY d.at LIMIT most FOR UPDATE SKIP LOCKED)
    RETURNING 1)
  SELECT count(*)::integer FROM gone
$$;
