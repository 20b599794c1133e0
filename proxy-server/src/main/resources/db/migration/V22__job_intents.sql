-- As before; and what was said of an attempt before says nothing of this one: until a worker has
-- heard that its provider did not take it, it may be on its way.
CREATE OR REPLACE FUNCTION job_intend(its_id uuid, its_worker text, open_max integer) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  its_job media_job;
BEGIN
  SELECT * INTO its_job FROM media_job j
   WHERE j.id = its_id AND j.worker = its_worker AND j.status = 'queued';
  IF NOT FOUND THEN
    RETURN 'lost';
  END IF;
  IF its_job.intent_at IS NULL THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('job_intend ' || its_job.provider, 17));
    IF (SELECT count(*) >= open_max
          FROM (SELECT FROM media_job j
                 WHERE j.provider = its_job.provider AND j.completed_at IS NULL
                   AND j.intent_at IS NOT NULL LIMIT open_max) o) THEN
      RETURN 'full';
    END IF;
  END IF;
  UPDATE media_job j SET intent_at = ledger_now(), doubt = NULL, doubts = 0
   WHERE j.id = its_id AND j.worker = its_worker AND j.status = 'queued';
  RETURN CASE WHEN FOUND THEN 'noted' ELSE 'lost' END;
END $$;
