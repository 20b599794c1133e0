-- expand
-- Media jobs: the workers' steps, and what is deleted in the end. A function that finds its rows by
-- an index may not scan the table: a plan that was kept from when the table was small would read
-- all of it until rows are counted again.

-- ---------------------------------------------------------------------------------------------
-- Turns

-- Claims jobs that are due for a worker, and returns them. The search begins behind the
-- organization and the provider that were last, and goes round once. crowded, crowds: how many jobs
-- the worker has of each provider; share: how many it may have of one where there are several;
-- closed: providers to which nothing is submitted at present. What is due is found by its turn,
-- then locked by its id.
CREATE FUNCTION job_claim(
  its_worker text, its_lease interval, most integer, last_org uuid, last_provider text,
  crowded text[], crowds integer[], share integer, closed text[])
RETURNS SETOF media_job LANGUAGE plpgsql SET search_path FROM CURRENT
-- Planning costs more than the rows that are found, and only one index serves.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  t       timestamptz := ledger_now();
  chosen  uuid[];
  taken   integer := 0;
  its_id  uuid;
  its_job media_job;
BEGIN
  -- Pairs of an organization and a provider with a job that is not over, found one after the other
  -- in the index, from the last turn on and once around.
  WITH RECURSIVE turn AS (
    SELECT s.org_id, s.provider, s.around, 1 AS n
      FROM ((SELECT j.org_id, j.provider, false AS around FROM media_job j
              WHERE j.completed_at IS NULL AND j.next_look_at < 'infinity'
                AND (j.org_id, j.provider) > (last_org, last_provider)
              ORDER BY j.org_id, j.provider LIMIT 1)
            UNION ALL
            (SELECT j.org_id, j.provider, true FROM media_job j
              WHERE j.completed_at IS NULL AND j.next_look_at < 'infinity'
              ORDER BY j.org_id, j.provider LIMIT 1)
            ORDER BY around LIMIT 1) s
    UNION ALL
    SELECT s.org_id, s.provider, s.around, o.n + 1
      FROM turn o
     CROSS JOIN LATERAL (
       (SELECT j.org_id, j.provider, o.around FROM media_job j
         WHERE j.completed_at IS NULL AND j.next_look_at < 'infinity'
           AND (j.org_id, j.provider) > (o.org_id, o.provider)
         ORDER BY j.org_id, j.provider LIMIT 1)
       UNION ALL
       (SELECT j.org_id, j.provider, true FROM media_job j
         WHERE NOT o.around AND j.completed_at IS NULL AND j.next_look_at < 'infinity'
         ORDER BY j.org_id, j.provider LIMIT 1)
       ORDER BY around LIMIT 1) s
     WHERE o.n < 2000
       AND (NOT s.around OR (s.org_id, s.provider) <= (last_org, last_provider))),
  alone AS (SELECT count(DISTINCT provider) = 1 AS yes FROM turn),
  due AS (
    SELECT d.id, o.n, o.provider, coalesce(c.crowd, 0) AS crowd,
           row_number() OVER (PARTITION BY o.n ORDER BY d.lane, d.next_look_at) AS nth
      FROM turn o
      LEFT JOIN unnest(crowded, crowds) AS c (provider, crowd) ON c.provider = o.provider
     CROSS JOIN LATERAL (
       (SELECT j.id, 1 AS lane, j.next_look_at FROM media_job j
         WHERE j.org_id = o.org_id AND j.provider = o.provider
           AND CASE WHEN j.intent_at IS NULL THEN 2 ELSE 1 END = 1
           AND j.next_look_at <= t AND j.next_look_at < 'infinity'
           AND j.completed_at IS NULL
         ORDER BY j.next_look_at LIMIT most + 3)
       UNION ALL
       (SELECT j.id, 2, j.next_look_at FROM media_job j
         WHERE j.org_id = o.org_id AND j.provider = o.provider
           AND CASE WHEN j.intent_at IS NULL THEN 2 ELSE 1 END = 2
           AND j.next_look_at <= t AND j.next_look_at < 'infinity'
           AND j.completed_at IS NULL AND o.provider <> ALL (closed)
         ORDER BY j.next_look_at LIMIT most + 3)) d
     WHERE (SELECT yes FROM alone) OR coalesce(c.crowd, 0) < share),
  placed AS (
    SELECT u.id, u.n, u.nth,
           u.crowd + row_number() OVER (PARTITION BY u.provider ORDER BY u.nth, u.n) AS place
      FROM due u)
  SELECT array_agg(c.id ORDER BY c.nth, c.n) INTO chosen
    FROM (SELECT p.id, p.nth, p.n FROM placed p
           WHERE (SELECT yes FROM alone) OR p.place <= share
           ORDER BY p.nth, p.n LIMIT 4 * most) c;
  IF chosen IS NULL THEN
    RETURN;
  END IF;
  FOREACH its_id IN ARRAY chosen LOOP
    EXIT WHEN taken >= most;
    SELECT * INTO its_job FROM media_job j WHERE j.id = its_id FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND OR its_job.completed_at IS NOT NULL OR its_job.next_look_at > t;
    UPDATE media_job j SET worker = its_worker, lease_until = t + its_lease,
                           next_look_at = t + its_lease
     WHERE j.id = its_id
    RETURNING * INTO its_job;
    taken := taken + 1;
    RETURN NEXT its_job;
  END LOOP;
END $$;

-- Claims jobs without a last turn, for nodes that do not pass one.
CREATE FUNCTION job_claim(its_worker text, its_lease interval, most integer)
RETURNS SETOF media_job LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT *
    FROM job_claim(its_worker, its_lease, most, gen_random_uuid(), '', '{}', '{}', most, '{}')
$$;

-- Prolongs the leases of jobs, and returns which are to be canceled or are expired; those that are
-- missing from the answer are not the workers' any more. One after the other: a join could scan all
-- jobs.
CREATE FUNCTION job_heartbeat(workers text[], ids uuid[], its_lease interval)
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

-- Notes that a provider is about to get a job: the next worker asks the provider for it by its id
-- before it submits it again. 'noted'; 'lost': another worker has the job, or it is over; 'full':
-- the provider has open_max jobs. What was learned of an earlier attempt is dropped: until a worker
-- knows that the provider did not take this one, it may be on its way.
CREATE FUNCTION job_intend(its_id uuid, its_worker text, open_max integer) RETURNS text
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

-- Notes the same without a limit, for nodes that do not pass one.
CREATE FUNCTION job_intend(its_id uuid, its_worker text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE media_job j SET intent_at = coalesce(j.intent_at, ledger_now())
   WHERE j.id = its_id AND j.worker = its_worker AND j.status = 'queued';
  RETURN FOUND;
END $$;

-- When a job that is given back is due again: at once if it is to be canceled.
CREATE FUNCTION job_next_look(its_job media_job, t timestamptz, next_look interval)
RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN its_job.cancel_asked THEN t
              ELSE greatest(t, least(t + next_look, its_job.expires_at)) END
$$;

-- Notes that a provider took a job. The worker gives it back.
CREATE FUNCTION job_submitted(its_id uuid, its_worker text, its_provider_job text,
                              next_look interval)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  t timestamptz := ledger_now();
BEGIN
  UPDATE media_job j
     SET status = 'submitted', provider_job = its_provider_job, tries = 0,
         doubt = NULL, doubts = 0,
         worker = NULL, lease_until = NULL, next_look_at = job_next_look(j, t, next_look)
   WHERE j.id = its_id AND j.worker = its_worker AND j.status = 'queued';
  RETURN FOUND;
END $$;

-- Notes a job's progress. The worker gives it back.
CREATE FUNCTION job_running(its_id uuid, its_worker text, its_progress integer,
                            next_look interval)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  t timestamptz := ledger_now();
BEGIN
  UPDATE media_job j
     SET status = 'running', progress = its_progress, tries = 0, doubt = NULL, doubts = 0,
         started_at = coalesce(j.started_at, date_trunc('milliseconds', t)),
         worker = NULL, lease_until = NULL, next_look_at = job_next_look(j, t, next_look)
   WHERE j.id = its_id AND j.worker = its_worker AND j.status IN ('submitted', 'running');
  RETURN FOUND;
END $$;

-- Notes that the provider has the job and did not begin it. The worker gives it back.
CREATE FUNCTION job_waiting(its_id uuid, its_worker text, next_look interval) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  t timestamptz := ledger_now();
BEGIN
  UPDATE media_job j
     SET tries = 0, doubt = NULL, doubts = 0,
         worker = NULL, lease_until = NULL, next_look_at = job_next_look(j, t, next_look)
   WHERE j.id = its_id AND j.worker = its_worker AND j.status IN ('submitted', 'running');
  RETURN FOUND;
END $$;

-- Gives back a job that was not looked at. It is due at once; one that no provider can have keeps
-- its place in the queue.
CREATE FUNCTION job_given_back(its_id uuid, its_worker text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
BEGIN
  UPDATE media_job j
     SET worker = NULL, lease_until = NULL,
         next_look_at = CASE WHEN j.intent_at IS NULL THEN j.created_at ELSE ledger_now() END
   WHERE j.id = its_id AND j.worker = its_worker AND j.completed_at IS NULL;
  RETURN FOUND;
END $$;

-- Gives back a job of which nothing was learned. its_doubt: null, or what speaks against the job.
-- knew: whether the worker saw that it is to be canceled; a wish that came meanwhile is dealt with
-- at once.
CREATE FUNCTION job_in_vain(its_id uuid, its_worker text, its_doubt text, knew boolean,
                            next_look interval)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  t timestamptz := ledger_now();
BEGIN
  UPDATE media_job j
     SET tries = j.tries + 1,
         doubts = CASE WHEN its_doubt IS NULL THEN j.doubts
                       WHEN its_doubt = j.doubt THEN j.doubts + 1
                       ELSE 1 END,
         doubt = coalesce(its_doubt, j.doubt),
         worker = NULL, lease_until = NULL,
         next_look_at = CASE WHEN j.cancel_asked AND NOT knew THEN t
                             WHEN j.expires_at > t THEN least(t + next_look, j.expires_at)
                             ELSE t + next_look END
   WHERE j.id = its_id AND j.worker = its_worker AND j.completed_at IS NULL;
  RETURN FOUND;
END $$;

-- Gives back a job of which nothing was learned, for nodes that do not pass a doubt.
CREATE FUNCTION job_release(its_id uuid, its_worker text, next_look interval) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  t timestamptz := ledger_now();
BEGIN
  UPDATE media_job j
     SET tries = j.tries + 1, worker = NULL, lease_until = NULL,
         next_look_at = greatest(t, least(t + next_look, CASE WHEN j.expires_at > t
                                                              THEN j.expires_at
                                                              ELSE t + next_look END))
   WHERE j.id = its_id AND j.worker = its_worker AND j.completed_at IS NULL;
  RETURN FOUND;
END $$;

-- Notes that the provider refused to cancel a job, which continues. The worker releases it.
CREATE FUNCTION job_cancel_refused(its_id uuid, its_worker text, next_look interval)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  t timestamptz := ledger_now();
BEGIN
  UPDATE media_job j
     SET cancel_asked = false, tries = 0, worker = NULL, lease_until = NULL,
         next_look_at = greatest(t, least(t + next_look, j.expires_at))
   WHERE j.id = its_id AND j.worker = its_worker AND j.completed_at IS NULL;
  RETURN FOUND;
END $$;

-- ---------------------------------------------------------------------------------------------
-- What was kept for long enough

-- Whether something besides a job's row is left. Each question is asked for that job alone: it
-- cannot become a join with a whole table.
CREATE FUNCTION job_is_referred_to(its_id uuid) RETURNS boolean LANGUAGE sql STABLE
  RETURN (SELECT a.job_id FROM media_artifact a WHERE a.job_id = its_id LIMIT 1) IS NOT NULL
      OR (SELECT w.state FROM webhook_event w WHERE w.job_id = its_id)
           IS NOT DISTINCT FROM 'pending'
      OR (SELECT i.job_id FROM idempotency i WHERE i.job_id = its_id LIMIT 1) IS NOT NULL;

-- Deletes jobs that were over for so long, or were removed, and to which nothing refers; returns
-- how many.
CREATE FUNCTION job_tidy(kept interval, most integer) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  t    timestamptz := ledger_now();
  jobs uuid[];
BEGIN
  SELECT array_agg(o.id) INTO jobs
    FROM ((SELECT j.id FROM media_job j
            WHERE j.completed_at <= t - kept AND NOT job_is_referred_to(j.id)
            ORDER BY j.completed_at LIMIT most)
          UNION
          (SELECT j.id FROM media_job j
            WHERE j.removed_at IS NOT NULL AND NOT job_is_referred_to(j.id)
            ORDER BY j.removed_at LIMIT most)
          LIMIT most) o;
  SELECT array_agg(l.id) INTO jobs
    FROM (SELECT j.id FROM media_job j WHERE j.id = ANY (jobs) FOR UPDATE SKIP LOCKED) l;
  IF jobs IS NULL THEN
    RETURN 0;
  END IF;
  DELETE FROM webhook_event w WHERE w.job_id = ANY (jobs);
  DELETE FROM media_job j WHERE j.id = ANY (jobs);
  RETURN cardinality(jobs);
END $$;

-- Takes artifacts that are due to be deleted of at most the given number of jobs, and at most ten times as many
-- images. Each node takes others, and one that cannot be deleted is taken again ever more rarely.
CREATE FUNCTION job_artifacts_take(most_jobs integer)
RETURNS TABLE (artifact_id uuid, blob_key text)
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
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

-- Deletes the rows of artifacts and images whose bytes were deleted.
CREATE FUNCTION job_artifacts_forget(ids uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  jobs   uuid[];
  its_id uuid;
BEGIN
  DELETE FROM media_image i WHERE i.id = ANY (ids);
  SELECT array_agg(a.job_id) INTO jobs FROM media_artifact a WHERE a.id = ANY (ids);
  FOR its_id IN SELECT DISTINCT j.id FROM unnest(jobs) AS j (id) ORDER BY 1 LOOP
    PERFORM 1 FROM media_job j WHERE j.id = its_id FOR UPDATE;
  END LOOP;
  DELETE FROM media_artifact a WHERE a.id = ANY (ids);
  UPDATE media_job j SET retain_until = NULL
   WHERE j.id = ANY (jobs)
     AND (SELECT a.job_id FROM media_artifact a WHERE a.job_id = j.id LIMIT 1) IS NULL;
END $$;
