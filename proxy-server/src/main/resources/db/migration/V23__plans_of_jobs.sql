-- One index for each question, whatever the statistics say. An index of what is open is empty when
-- nothing is, and if rows are counted then, a scan of all of it seems to cost nothing for as long as
-- they are not counted again: whatever says that a row is open would rather read all that are, be it
-- ten thousand, than find its one. So each such index has a condition that only those state who
-- shall use it.

-- Leases of nodes, of which a scope has one for each node; it has another for each job.
DROP INDEX lease_open_by_scope;
CREATE INDEX lease_of_nodes_by_scope ON lease (scope_id)
  WHERE state = 'open' AND holder LIKE 'node:%';

CREATE OR REPLACE FUNCTION ledger_others(its_holder text, its_scope text, at timestamptz)
RETURNS TABLE (answered bigint) LANGUAGE sql STABLE AS $$
  SELECT l.answered FROM lease l JOIN node_epoch n ON n.holder = l.holder
   WHERE l.scope_id = its_scope AND l.state = 'open' AND l.holder LIKE 'node:%'
     AND l.holder <> its_holder AND l.granted_micro > l.spent_micro
     AND n.state = 'open' AND n.heartbeat_at > at - interval '60 seconds'
$$;

-- Turns of jobs that are not over. No job is looked at in eternity: only who looks for turns says so.
DROP INDEX media_job_turn;
CREATE INDEX media_job_turn ON media_job
  (org_id, provider, (CASE WHEN intent_at IS NULL THEN 2 ELSE 1 END), next_look_at)
  WHERE completed_at IS NULL AND next_look_at < 'infinity';

-- Days of jobs that are not over.
DROP INDEX media_job_by_day;
CREATE INDEX media_job_owed ON media_job ((CASE WHEN completed_at IS NULL THEN day END))
  WHERE CASE WHEN completed_at IS NULL THEN day END IS NOT NULL;

-- Whether a node that was not released, or a job that is not over, may still have charges of a day.
CREATE OR REPLACE FUNCTION ledger_is_owed(its_day date) RETURNS boolean LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT EXISTS (
    SELECT 1 FROM node_epoch n
      LEFT JOIN node_report r ON r.node_id = n.node_id AND r.epoch = n.epoch
     WHERE n.state <> 'closed'
       AND (least(n.heartbeat_at, r.owes_since) AT TIME ZONE 'UTC')::date <= its_day + 1)
    OR EXISTS (SELECT 1 FROM media_job j
                WHERE CASE WHEN j.completed_at IS NULL THEN j.day END = its_day)
$$;

-- As before, but for what is said above: what is due is found by its turn, and taken up by its name.
CREATE OR REPLACE FUNCTION job_claim(
  its_worker text, its_lease interval, most integer, last_org uuid, last_provider text,
  crowded text[], crowds integer[], share integer, closed text[])
RETURNS SETOF media_job LANGUAGE plpgsql SET search_path FROM CURRENT
-- A plan costs more than what it finds, and only one index serves.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  t       timestamptz := ledger_now();
  chosen  uuid[];
  taken   integer := 0;
  its_id  uuid;
  its_job media_job;
BEGIN
  -- Organizations at providers that have a job that is not over, found one behind the other in the
  -- index, from the last turn on and once around.
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
