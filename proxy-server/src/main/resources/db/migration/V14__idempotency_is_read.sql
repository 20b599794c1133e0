-- Whoever sends a submission again is told what came of it, or that it runs: that changes nothing,
-- so it must not cost a lock of its row and a write of the log.

ALTER FUNCTION idempotency_claim(
  uuid, text, text, bytea, text, interval, interval, integer, text, text[], text[], bytea)
  RENAME TO idempotency_take;

-- The same answers as idempotency_take, which is asked where the row may have to be changed.
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
    SELECT * FROM idempotency_take(its_org, its_endpoint, its_key, its_sha256, its_request, lease,
                                   kept, lost_status, lost_type, lost_names, lost_values, lost_body);
END $$;
