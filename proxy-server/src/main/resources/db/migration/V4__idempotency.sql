-- expand
-- Submissions that carry an idempotency key, so that each is carried out once: first its row is
-- made, then the work is done, then the reply is put into the row.

-- There is no reference to organization: rows are deleted after a day, and each submission would
-- lock the organization's row. job_id: the job that a submission became; its reply is made from the
-- job. state: claimed: only a node has the submission; dispatched: a provider may have it; lost: a
-- provider may have it, and the node died; done: status and body are the reply.
CREATE TABLE idempotency (
  org_id       uuid        NOT NULL,
  endpoint     text        NOT NULL,
  key          text        NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  body_sha256  bytea       NOT NULL CHECK (octet_length(body_sha256) = 32),
  state        text        NOT NULL CHECK (state IN ('claimed', 'dispatched', 'lost', 'done')),
  request_id   text        NOT NULL,
  claimed_at   timestamptz NOT NULL,
  lease_until  timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL,
  status       integer,
  content_type text,
  field_names  text[],
  field_values text[],
  -- Images cannot be compressed further.
  body         bytea       STORAGE EXTERNAL,
  job_id       uuid,
  PRIMARY KEY (org_id, endpoint, key),
  CHECK ((state IN ('lost', 'done')) = (status IS NOT NULL AND body IS NOT NULL))
);

CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

CREATE INDEX idempotency_by_job ON idempotency (job_id) WHERE job_id IS NOT NULL;

-- Decides what the caller does: 'claimed' (it carries the submission out), 'running', 'conflict'
-- (another body) or 'replay'. A submission whose lease is over is the caller's if no provider can
-- have it; otherwise it becomes lost, with the reply in the parameters lost_status and on. Callers
-- that race for a row wait for its lock, so one of them wins.
CREATE FUNCTION idempotency_take(
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
  VALUES (its_org, its_endpoint, its_key, its_sha256, 'claimed', its_request, t, t + lease,
          t + kept)
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
  -- ON CONFLICT has locked the row, although it changed nothing.
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

-- Answers as idempotency_take does, and calls it only where the row may have to be changed: a reply
-- that is replayed must cost neither a lock of the row nor a write of the log.
CREATE FUNCTION idempotency_claim(
  its_org uuid, its_endpoint text, its_key text, its_sha256 bytea, its_request text,
  lease interval, kept interval,
  lost_status integer, lost_type text, lost_names text[], lost_values text[], lost_body bytea)
RETURNS TABLE (
  answer text, age double precision, its_status integer, its_type text, its_names text[],
  its_values text[], body_bytes integer)
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  t timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
    SELECT CASE WHEN i.body_sha256 <> its_sha256 THEN 'conflict'
                WHEN i.status IS NULL THEN 'running'
                ELSE 'replay' END,
           greatest(0, extract(epoch FROM t - i.claimed_at))::double precision, i.status,
           i.content_type, i.field_names, i.field_values, octet_length(i.body)
      FROM idempotency i
     WHERE i.org_id = its_org AND i.endpoint = its_endpoint AND i.key = its_key
       AND (i.lease_until > t OR (i.status IS NOT NULL AND i.expires_at > t));
  IF FOUND THEN
    RETURN;
  END IF;
  RETURN QUERY
    SELECT *
      FROM idempotency_take(its_org, its_endpoint, its_key, its_sha256, its_request, lease, kept,
                            lost_status, lost_type, lost_names, lost_values, lost_body);
END $$;

-- Deletes some of the submissions that are expired and have no lease; returns how many. The time is
-- taken once: an index cannot search for rows before a clock that moves.
CREATE FUNCTION idempotency_tidy(most integer) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  t    timestamptz := clock_timestamp();
  gone integer;
BEGIN
  -- By ctid: the rows are locked, and the plan cannot become a join with the whole table.
  DELETE FROM idempotency
   WHERE ctid = ANY (ARRAY(
           SELECT i.ctid FROM idempotency i
            WHERE i.expires_at <= t AND i.lease_until <= t
            ORDER BY i.expires_at LIMIT most FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;
