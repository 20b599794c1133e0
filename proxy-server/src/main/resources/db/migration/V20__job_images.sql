-- Images that came with a job's submission: which they are, and that they go with the job's end.

-- n: which of those that came along, from 1. due_at: when its bytes are to be deleted; null: the job
-- is not over. It outlives the job's row where its bytes could not be deleted.
CREATE TABLE media_image (
  id       uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  job_id   uuid        NOT NULL,
  n        integer     NOT NULL,
  blob_key text        NOT NULL,
  due_at   timestamptz,
  tries    integer     NOT NULL DEFAULT 0,
  UNIQUE (job_id, n)
);

CREATE INDEX media_image_due ON media_image (due_at) WHERE due_at IS NOT NULL;

-- As before; with images that lie in our storage, which are the job's if one is made.
CREATE FUNCTION job_submit(
  its_id uuid, its_org uuid, its_key text, its_request text, its_day date,
  its_endpoint text, its_idempotency_key text, its_sha256 bytea, its_memory interval,
  its_kind text, its_model text, its_provider text, its_params text, its_webhook text,
  its_metadata text, its_reserved bigint, its_max bigint, its_ttl interval,
  awaited text[], awaited_recalls bigint[], its_images text[])
RETURNS TABLE (answer text, job_id uuid, scope_id text, limit_micro bigint, used_micro bigint,
               leased_micro bigint, awaits boolean, recall bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  FOR answer, job_id, scope_id, limit_micro, used_micro, leased_micro, awaits, recall IN
    SELECT * FROM job_submit(
      its_id, its_org, its_key, its_request, its_day, its_endpoint, its_idempotency_key, its_sha256,
      its_memory, its_kind, its_model, its_provider, its_params, its_webhook, its_metadata,
      its_reserved, its_max, its_ttl, awaited, awaited_recalls)
  LOOP
    IF answer = 'made' THEN
      INSERT INTO media_image (job_id, n, blob_key)
      SELECT its_id, i.n, i.blob_key FROM unnest(its_images) WITH ORDINALITY AS i (blob_key, n);
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

-- Whichever way it ends, nobody needs its images any more.
CREATE FUNCTION media_job_images_over() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE media_image i SET due_at = ledger_now() WHERE i.job_id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER media_job_over AFTER UPDATE OF completed_at ON media_job FOR EACH ROW
  WHEN (OLD.completed_at IS NULL AND NEW.completed_at IS NOT NULL)
  EXECUTE FUNCTION media_job_images_over();

-- As before, and images of jobs that are over, at most ten for each of so many jobs.
CREATE OR REPLACE FUNCTION job_artifacts_take(most_jobs integer)
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
    RETURNING j.id),
  due_image AS (
    SELECT i.id FROM media_image i
     WHERE i.due_at <= t ORDER BY i.due_at LIMIT 10 * most_jobs FOR UPDATE SKIP LOCKED),
  taken_image AS (
    UPDATE media_image i
       SET due_at = t + least(interval '1 hour', interval '1 minute' * 2 ^ i.tries),
           tries = least(i.tries + 1, 9)
      FROM due_image d WHERE i.id = d.id
    RETURNING i.id, i.blob_key)
  SELECT a.id, a.blob_key FROM taken JOIN media_artifact a ON a.job_id = taken.id
   UNION ALL
  SELECT i.id, i.blob_key FROM taken_image i;
END $$;

-- As before, and images.
CREATE OR REPLACE FUNCTION job_artifacts_forget(ids uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  jobs uuid[];
BEGIN
  DELETE FROM media_image i WHERE i.id = ANY (ids);
  SELECT array_agg(DISTINCT a.job_id) INTO jobs FROM media_artifact a WHERE a.id = ANY (ids);
  PERFORM 1 FROM media_job j WHERE j.id = ANY (jobs) ORDER BY j.id FOR UPDATE;
  DELETE FROM media_artifact a WHERE a.id = ANY (ids);
  UPDATE media_job j SET retain_until = NULL
   WHERE j.id = ANY (jobs)
     AND NOT EXISTS (SELECT 1 FROM media_artifact a WHERE a.job_id = j.id);
END $$;

-- Nobody has called it since files are taken, each by one node.
DROP FUNCTION job_artifacts_due(integer);
