-- A plan that was kept from when there were hardly any jobs reads all of them until rows are counted
-- again. Each of these finds its job by its name.

-- As before, but one after the other: no join can look for them among all.
CREATE OR REPLACE FUNCTION job_heartbeat(workers text[], ids uuid[], its_lease interval)
RETURNS TABLE (job_id uuid, cancel_asked boolean, is_expired boolean)
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  t          timestamptz := ledger_now();
  its_id     uuid;
  its_worker text;
BEGIN
  FOR its_id, its_worker IN
    SELECT w.id, w.worker FROM unnest(workers, ids) AS w (worker, id) ORDER BY w.id
  LOOP
    RETURN QUERY
    UPDATE media_job j SET lease_until = t + its_lease, next_look_at = t + its_lease
     WHERE j.id = its_id AND j.worker = its_worker AND j.completed_at IS NULL
    RETURNING j.id, j.cancel_asked, j.expires_at <= t;
  END LOOP;
END $$;

ALTER FUNCTION job_submitted(uuid, text, text, interval) SET enable_seqscan = off;
ALTER FUNCTION job_running(uuid, text, integer, interval) SET enable_seqscan = off;
ALTER FUNCTION job_waiting(uuid, text, interval) SET enable_seqscan = off;
ALTER FUNCTION job_given_back(uuid, text) SET enable_seqscan = off;
ALTER FUNCTION job_in_vain(uuid, text, text, boolean, interval) SET enable_seqscan = off;
ALTER FUNCTION job_succeed(
  uuid, text, bigint, interval, uuid[], text[], text[], text[], bigint[], integer[], integer[],
  double precision[]) SET enable_seqscan = off;
ALTER FUNCTION job_fail(uuid, text, text, text) SET enable_seqscan = off;
ALTER FUNCTION job_expire(uuid, text) SET enable_seqscan = off;
ALTER FUNCTION job_canceled(uuid, text) SET enable_seqscan = off;
ALTER FUNCTION job_cancel_refused(uuid, text, interval) SET enable_seqscan = off;
ALTER FUNCTION job_cancel(uuid, text, uuid) SET enable_seqscan = off;
ALTER FUNCTION job_cancel_withdrawn(uuid, uuid) SET enable_seqscan = off;
ALTER FUNCTION job_remove(uuid, text, uuid) SET enable_seqscan = off;
