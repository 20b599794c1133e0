-- Submissions that carry a key, so that each is carried out once: the row is made first, then the
-- work is done, then the reply is put into it.

-- No reference to organization: what is here is forgotten after a day, and each submission would
-- lock the organization's row.
CREATE TABLE idempotency (
  org_id       uuid        NOT NULL,
  endpoint     text        NOT NULL,
  key          text        NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  body_sha256  bytea       NOT NULL CHECK (octet_length(body_sha256) = 32),
  -- claimed: nobody but a node heard of it; dispatched: a provider may have; lost: it may have, and
  -- the node did not live; done: what came of it is below.
  state        text        NOT NULL CHECK (state IN ('claimed', 'dispatched', 'lost', 'done')),
  request_id   text        NOT NULL,
  claimed_at   timestamptz NOT NULL,
  lease_until  timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL,
  status       integer,
  content_type text,
  field_names  text[],
  field_values text[],
  body         bytea,
  PRIMARY KEY (org_id, endpoint, key),
  CHECK ((state IN ('lost', 'done')) = (status IS NOT NULL AND body IS NOT NULL))
);

CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

-- Images do not become smaller.
ALTER TABLE idempotency ALTER COLUMN body SET STORAGE EXTERNAL;

-- Whose turn it is: 'claimed' (the caller's), 'running', 'conflict' (another body) or 'replay'. What
-- ran out of its lease is the caller's if nobody heard of it; else it becomes what lost_... say.
-- Whoever loses the race for a row waits for its lock, so that there is one winner.
CREATE FUNCTION idempotency_claim(
  its_org uuid, its_endpoint text, its_key text, its_sha256 bytea, its_request text,
  lease interval, kept interval,
  lost_status integer, lost_type text, lost_names text[], lost_values text[], lost_body bytea)
RETURNS TABLE (
  answer text, age double precision, its_status integer, its_type text, its_names text[],
  its_values text[], body_bytes integer)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  t timestamptz := clock_timestamp();
  r record;
BEGIN
  INSERT INTO idempotency AS i (org_id, endpoint, key, body_sha256, state, request_id, claimed_at,
                                lease_until, expires_at)
  VALUES (its_org, its_endpoint, its_key, its_sha256, 'claimed', its_request, t, t + lease, t + kept)
  ON CONFLICT (org_id, endpoint, key) DO UPDATE
     SET body_sha256 = excluded.body_sha256, state = 'claimed', request_id = excluded.request_id,
         claimed_at = t, lease_until = excluded.lease_until, expires_at = excluded.expires_at,
         status = NULL, content_type = NULL, field_names = NULL, field_values = NULL, body = NULL
   WHERE i.lease_until <= t AND (i.state = 'claimed' OR i.expires_at <= t);
  IF FOUND THEN
    RETURN QUERY SELECT 'claimed'::text, 0::double precision, NULL::integer, NULL::text,
                        NULL::text[], NULL::text[], NULL::integer;
    RETURN;
  END IF;
  -- The row is locked by now, although nothing was changed.
  SELECT i.state, i.body_sha256, i.claimed_at, i.lease_until INTO r FROM idempotency i
   WHERE i.org_id = its_org AND i.endpoint = its_endpoint AND i.key = its_key;
  IF r.body_sha256 <> its_sha256 THEN
    RETURN QUERY SELECT 'conflict'::text, 0::double precision, NULL::integer, NULL::text,
                        NULL::text[], NULL::text[], NULL::integer;
    RETURN;
  END IF;
  IF r.state = 'dispatched' AND r.lease_until <= t THEN
    UPDATE idempotency i
       SET state = 'lost', expires_at = t + kept, status = lost_status, content_type = lost_type,
           field_names = lost_names, field_values = lost_values, body = lost_body
     WHERE i.org_id = its_org AND i.endpoint = its_endpoint AND i.key = its_key;
  END IF;
  RETURN QUERY
    SELECT CASE WHEN i.status IS NULL THEN 'running' ELSE 'replay' END,
           greatest(0, extract(epoch FROM t - i.claimed_at))::double precision, i.status,
           i.content_type, i.field_names, i.field_values, octet_length(i.body)
      FROM idempotency i
     WHERE i.org_id = its_org AND i.endpoint = its_endpoint AND i.key = its_key;
END $$;

-- Forgets some of what expired; returns how many. What runs has a lease.
CREATE FUNCTION idempotency_tidy(most integer) RETURNS integer
LANGUAGE sql SET search_path FROM CURRENT AS $$
  WITH gone AS (
    DELETE FROM idempotency
     WHERE (org_id, endpoint, key) IN (
             SELECT org_id, endpoint, key FROM idempotency
              WHERE expires_at <= clock_timestamp() AND lease_until <= clock_timestamp()
              ORDER BY expires_at LIMIT most FOR UPDATE SKIP LOCKED)
    RETURNING 1)
  SELECT count(*)::integer FROM gone
$$;
