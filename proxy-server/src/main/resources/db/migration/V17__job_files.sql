-- Files of jobs whose time is over: each node takes others, and one that cannot be deleted stands in
-- nobody's way.

-- files_again_at: when they are due again after somebody took them; files_tries: how often that was.
ALTER TABLE media_job
  ADD COLUMN files_again_at timestamptz,
  ADD COLUMN files_tries    integer NOT NULL DEFAULT 0;

DROP INDEX media_job_retained;
CREATE INDEX media_job_files_due ON media_job (greatest(retain_until, files_again_at))
  WHERE retain_until IS NOT NULL;

-- Takes artifacts whose bytes are due to be deleted, of at most so many jobs. What is not forgotten
-- by then is due again after a minute, then after twice as long, at most an hour.
CREATE FUNCTION job_artifacts_take(most_jobs integer)
RETURNS TABLE (artifact_id uuid, blob_key text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  t timestamptz := ledger_now();
BEGIN
  RETURN QUERY
  WITH due AS (
    SELECT j.id FROM media_job j
     WHERE j.retain_until IS NOT NULL AND greatest(j.retain_until, j.files_again_at) <= t
     ORDER BY greatest(j.retain_until, j.files_again_at) LIMIT most_jobs FOR UPDATE SKIP LOCKED),
  taken AS (
    UPDATE media_job j
       SET files_again_at = t + least(interval '1 hour', interval '1 minute' * 2 ^ j.files_tries),
           files_tries = least(j.files_tries + 1, 9)
      FROM due WHERE j.id = due.id
    RETURNING j.id)
  SELECT a.id, a.blob_key FROM taken JOIN media_artifact a ON a.job_id = taken.id;
END $$;
