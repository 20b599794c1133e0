-- Whose turn it is at a worker, how many jobs a provider has at most, and what counts as a vain look.

-- doubt: what speaks against a job that is not given up yet: its provider does not know it, a file
-- of it is not there, our storage does not take one. doubts: how often that was so since anything
-- else was learned.
ALTER TABLE media_job
  ADD COLUMN doubt  text CHECK (doubt IN ('absent', 'file', 'storage')),
  ADD COLUMN doubts integer NOT NULL DEFAULT 0;

-- 1: a provider may have it; 2: none can have heard of it.
CREATE INDEX media_job_turn ON media_job
  (org_id, provider, (CASE WHEN intent_at IS NULL THEN 2 ELSE 1 END), next_look_at)
  WHERE completed_at IS NULL;
CREATE INDEX media_job_at_provider ON media_job (provider)
  WHERE completed_at IS NULL AND intent_at IS NOT NULL;
DROP INDEX media_job_due;

-- ---------------------------------------------------------------------------------------------
-- Workers

-- Jobs that are due, at most so many, for a worker to look at until the lease ends. Each
-- organization has a turn at each provider, one after the other: whoever asks says who had the last
-- one, and the next is first. Of a turn first what a provider may have. crowded: the providers that
-- the node works at, and at how many jobs; of one it is given no more than its share, unless there
-- is no other. closed: providers that take nothing new at present.
CREATE FUNCTION job_claim(
  its_worker text, its_lease interval, most integer, last_org uuid, last_provider text,
  crowded text[], crowds integer[], share integer, closed text[])
RETURNS SETOF media_job LANGUAGE plpgsql SET search_path FROM CURRENT
-- However few there were when a plan was made.
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off AS $$
DECLARE
  t      timestamptz := ledger_now();
  chosen uuid[];
BEGIN
  -- Organizations at providers that have a job that is not over, found one behind the other in the
  -- index, from the last turn on and once around.
  WITH RECURSIVE turn AS (
    SELECT s.org_id, s.provider, s.around, 1 AS n
      FROM ((SELECT j.org_id, j.provider, false AS around FROM media_job j
              WHERE j.completed_at IS NULL AND (j.org_id, j.provider) > (last_org, last_provider)
              ORDER BY j.org_id, j.provider LIMIT 1)
            UNION ALL
            (SELECT j.org_id, j.provider, true FROM media_job j
              WHERE j.completed_at IS NULL ORDER BY j.org_id, j.provider LIMIT 1)
            ORDER BY around LIMIT 1) s
    UNION ALL
    SELECT s.org_id, s.provider, s.around, o.n + 1
      FROM turn o
     CROSS JOIN LATERAL (
       (SELECT j.org_id, j.provider, o.around FROM media_job j
         WHERE j.completed_at IS NULL AND (j.org_id, j.provider) > (o.org_id, o.provider)
         ORDER BY j.org_id, j.provider LIMIT 1)
       UNION ALL
       (SELECT j.org_id, j.provider, true FROM media_job j
         WHERE NOT o.around AND j.completed_at IS NULL ORDER BY j.org_id, j.provider LIMIT 1)
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
           AND j.next_look_at <= t AND j.completed_at IS NULL
         ORDER BY j.next_look_at LIMIT most + 3)
       UNION ALL
       (SELECT j.id, 2, j.next_look_at FROM media_job j
         WHERE j.org_id = o.org_id AND j.provider = o.provider
           AND CASE WHEN j.intent_at IS NULL THEN 2 ELSE 1 END = 2
           AND j.next_look_at <= t AND j.completed_at IS NULL AND o.provider <> ALL (closed)
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
  RETURN QUERY
  WITH free AS (
    SELECT j.id FROM media_job j
     WHERE j.id = ANY (chosen) AND j.completed_at IS NULL AND j.next_look_at <= t
     ORDER BY array_position(chosen, j.id) LIMIT most FOR UPDATE SKIP LOCKED),
  taken AS (
    UPDATE media_job j
       SET worker = its_worker, lease_until = t + its_lease, next_look_at = t + its_lease
      FROM free WHERE j.id = free.id
    RETURNING j.*)
  SELECT j.* FROM taken j ORDER BY array_position(chosen, j.id);
END $$;

-- The same for who does not say whose turn it was: nodes of before.
CREATE OR REPLACE FUNCTION job_claim(its_worker text, its_lease interval, most integer)
RETURNS SETOF media_job LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT * FROM job_claim(its_worker, its_lease, most, gen_random_uuid(), '', '{}', '{}', most, '{}')
$$;

-- The provider is about to hear of a job: 'noted'. Or it has as many as it may already: 'full'; or
-- the job is not this worker's any more, or over: 'lost'. Those who ask for the same provider wait
-- for each other, so that it never has more.
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
  -- Each time anew: how long ago the provider may have heard of it last is what is asked for.
  UPDATE media_job j SET intent_at = ledger_now()
   WHERE j.id = its_id AND j.worker = its_worker AND j.status = 'queued';
  RETURN CASE WHEN FOUND THEN 'noted' ELSE 'lost' END;
END $$;

-- As before; nothing speaks against it any more.
CREATE OR REPLACE FUNCTION job_submitted(its_id uuid, its_worker text, its_provider_job text,
                                         next_look interval)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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

CREATE OR REPLACE FUNCTION job_running(its_id uuid, its_worker text, its_progress integer,
                                       next_look interval)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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

-- The provider has it and has not begun, which is something learned. The worker gives it back.
CREATE FUNCTION job_waiting(its_id uuid, its_worker text, next_look interval) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  t timestamptz := ledger_now();
BEGIN
  UPDATE media_job j
     SET tries = 0, doubt = NULL, doubts = 0,
         worker = NULL, lease_until = NULL, next_look_at = job_next_look(j, t, next_look)
   WHERE j.id = its_id AND j.worker = its_worker AND j.status IN ('submitted', 'running');
  RETURN FOUND;
END $$;

-- Nobody looked at it. It is due at once; what no provider heard of keeps its place in the queue.
CREATE FUNCTION job_given_back(its_id uuid, its_worker text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE media_job j
     SET worker = NULL, lease_until = NULL,
         next_look_at = CASE WHEN j.intent_at IS NULL THEN j.created_at ELSE ledger_now() END
   WHERE j.id = its_id AND j.worker = its_worker AND j.completed_at IS NULL;
  RETURN FOUND;
END $$;

-- Nothing was learned. its_doubt: null, or what speaks against the job. knew: whether the worker
-- saw that it shall be canceled; a wish that came meanwhile is looked at once. The worker gives it
-- back.
CREATE FUNCTION job_in_vain(its_id uuid, its_worker text, its_doubt text, knew boolean,
                            next_look interval)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
