-- Videos and music, which take longer than a request: what was asked for, where it stands, and the
-- money that is held for it. Every function below is one call in autocommit. Locks are taken in one
-- order: the submission's key, the job's row, then scopes and leases as everywhere else.

-- day: that of request_id. provider_job: what the provider calls it. intent_at: since then the
-- provider may have it. next_look_at: when somebody may take it up; while a worker holds it, when
-- that right ends. tries: how often in a row nothing was learned. retain_until: how long its
-- artifacts are kept; null: it has none. removed_at: only its submission remembers it since. part:
-- 1 is taken up before 2.
CREATE TABLE media_job (
  id                   uuid        PRIMARY KEY,
  org_id               uuid        NOT NULL,
  key_id               text        NOT NULL,
  request_id           text        COLLATE "C" NOT NULL UNIQUE CHECK (length(request_id) = 30),
  day                  date        NOT NULL,
  kind                 text        NOT NULL CHECK (kind IN ('video', 'music')),
  model                text        NOT NULL,
  provider             text        NOT NULL,
  status               text        NOT NULL DEFAULT 'queued'
                                   CHECK (status IN ('queued', 'submitted', 'running', 'succeeded',
                                                     'failed', 'canceled', 'expired')),
  progress             integer     CHECK (progress BETWEEN 0 AND 100),
  estimated_cost_micro bigint      NOT NULL CHECK (estimated_cost_micro >= 0),
  max_cost_micro       bigint      NOT NULL CHECK (max_cost_micro >= estimated_cost_micro),
  cost_micro           bigint      NOT NULL DEFAULT 0 CHECK (cost_micro >= 0),
  error_code           text,
  error_message        text,
  params               text        NOT NULL,
  webhook_url          text,
  metadata             text        NOT NULL,
  created_at           timestamptz NOT NULL,
  started_at           timestamptz,
  completed_at         timestamptz,
  expires_at           timestamptz NOT NULL,
  provider_job         text,
  intent_at            timestamptz,
  worker               text,
  lease_until          timestamptz,
  next_look_at         timestamptz NOT NULL,
  tries                integer     NOT NULL DEFAULT 0,
  cancel_asked         boolean     NOT NULL DEFAULT false,
  retain_until         timestamptz,
  removed_at           timestamptz,
  part                 smallint    GENERATED ALWAYS AS (
                         CASE WHEN status = 'queued' AND NOT cancel_asked THEN 2 ELSE 1 END) STORED,
  CHECK ((completed_at IS NULL) = (status IN ('queued', 'submitted', 'running'))),
  CHECK ((error_code IS NOT NULL) = (status = 'failed')),
  CHECK ((worker IS NULL) = (lease_until IS NULL)),
  CHECK (completed_at IS NULL OR worker IS NULL),
  CHECK (removed_at IS NULL OR completed_at IS NOT NULL)
) WITH (fillfactor = 70);

-- What is taken up next: of each organization first what a provider works at, or is over.
CREATE INDEX media_job_due ON media_job (org_id, part, next_look_at) WHERE completed_at IS NULL;

CREATE INDEX media_job_by_org ON media_job (org_id, created_at DESC, id);
CREATE INDEX media_job_by_day ON media_job (day) WHERE completed_at IS NULL;
CREATE INDEX media_job_by_completion ON media_job (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX media_job_removed ON media_job (removed_at) WHERE removed_at IS NOT NULL;
CREATE INDEX media_job_retained ON media_job (retain_until) WHERE retain_until IS NOT NULL;

CREATE TABLE media_artifact (
  id               uuid             PRIMARY KEY,
  job_id           uuid             NOT NULL REFERENCES media_job (id),
  type             text             NOT NULL CHECK (type IN ('video', 'audio')),
  content_type     text             NOT NULL,
  blob_key         text             NOT NULL,
  size_bytes       bigint           NOT NULL CHECK (size_bytes >= 0),
  width            integer,
  height           integer,
  duration_seconds double precision NOT NULL CHECK (duration_seconds >= 0),
  created_at       timestamptz      NOT NULL
);

CREATE INDEX media_artifact_by_job ON media_artifact (job_id);

-- What is told to a job's URL, once it is over. The row is made where the job ends, so that neither
-- is there without the other.
CREATE TABLE webhook_event (
  id              uuid        PRIMARY KEY,
  org_id          uuid        NOT NULL,
  job_id          uuid        NOT NULL UNIQUE REFERENCES media_job (id),
  event           text        NOT NULL CHECK (event IN ('job.completed', 'job.failed')),
  url             text        NOT NULL,
  request_id      text        NOT NULL,
  created_at      timestamptz NOT NULL,
  state           text        NOT NULL DEFAULT 'pending'
                              CHECK (state IN ('pending', 'delivered', 'failed', 'gone')),
  attempts        integer     NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL,
  leased_by       text,
  lease_until     timestamptz,
  last_status     integer,
  last_error      text
) WITH (fillfactor = 70);

CREATE INDEX webhook_event_due ON webhook_event (next_attempt_at) WHERE state = 'pending';
CREATE INDEX webhook_event_by_org ON webhook_event (org_id, created_at);

-- The job that a submission became; its reply is made from the job.
ALTER TABLE idempotency ADD COLUMN job_id uuid;
CREATE INDEX idempotency_by_job ON idempotency (job_id) WHERE job_id IS NOT NULL;

-- ---------------------------------------------------------------------------------------------
-- Submission

-- One row 'made', 'replay' (with the job that the submission became), 'conflict' (another body), or
-- one 'short' for each scope that was. A scope that awaits may have enough as soon as living nodes
-- give back what they do not use: they were asked with the number recall. Whoever asks again says
-- which of these it awaited, and is refused for good when all of them answered.
CREATE FUNCTION job_submit(
  its_id uuid, its_org uuid, its_key text, its_request text, its_day date,
  its_endpoint text, its_idempotency_key text, its_sha256 bytea, its_memory interval,
  its_kind text, its_model text, its_provider text, its_params text, its_webhook text,
  its_metadata text, its_reserved bigint, its_max bigint, its_ttl interval,
  awaited text[], awaited_recalls bigint[])
RETURNS TABLE (answer text, job_id uuid, scope_id text, limit_micro bigint, used_micro bigint,
               leased_micro bigint, awaits boolean, recall bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  t          timestamptz := date_trunc('milliseconds', ledger_now());
  its_holder text := 'job:' || its_id;
  earlier    record;
  kinds      integer[];
  scopes     text[];
  limits     bigint[];
  its_answer text;
BEGIN
  FOR turn IN 1 .. 2 LOOP
    SELECT i.body_sha256, i.job_id INTO earlier FROM idempotency i
     WHERE i.org_id = its_org AND i.endpoint = its_endpoint AND i.key = its_idempotency_key
       AND i.expires_at > t;
    IF FOUND THEN
      its_answer := CASE WHEN earlier.body_sha256 = its_sha256 THEN 'replay' ELSE 'conflict' END;
      RETURN QUERY SELECT its_answer, earlier.job_id,
                          NULL::text, NULL::bigint, NULL::bigint, NULL::bigint, false, NULL::bigint;
      RETURN;
    END IF;
    -- Whoever loses the race for the row waits here, and reads what came of the other.
    INSERT INTO idempotency AS i (org_id, endpoint, key, body_sha256, state, request_id, claimed_at,
                                  lease_until, expires_at, status, body, job_id)
    VALUES (its_org, its_endpoint, its_idempotency_key, its_sha256, 'done', its_request, t, t,
            t + its_memory, 202, '', its_id)
    ON CONFLICT (org_id, endpoint, key) DO UPDATE
       SET body_sha256 = excluded.body_sha256, request_id = excluded.request_id,
           claimed_at = excluded.claimed_at, lease_until = excluded.lease_until,
           expires_at = excluded.expires_at, job_id = excluded.job_id
     WHERE i.expires_at <= t;
    EXIT WHEN FOUND;
  END LOOP;

  INSERT INTO scope_account (scope_id, org_id, key_id)
  SELECT s.scope_id, its_org, s.key_id FROM ledger_scopes(its_org, its_key, its_day) s
   WHERE NOT EXISTS (SELECT 1 FROM scope_account a WHERE a.scope_id = s.scope_id)
   ORDER BY s.scope_id COLLATE "C"
  ON CONFLICT DO NOTHING;
  SELECT array_agg(s.kind ORDER BY s.kind), array_agg(s.scope_id ORDER BY s.kind)
    INTO kinds, scopes FROM ledger_scopes(its_org, its_key, its_day) s;
  PERFORM 1 FROM scope_account WHERE scope_id = ANY (scopes) ORDER BY scope_id FOR NO KEY UPDATE;

  SELECT array_agg(CASE w.kind WHEN 1 THEN a.limit_micro
                               WHEN 2 THEN o.monthly_limit_micro
                               WHEN 4 THEN k.daily_budget_micro
                               WHEN 8 THEN k.monthly_budget_micro END ORDER BY w.n)
    INTO limits
    FROM unnest(kinds, scopes) WITH ORDINALITY AS w (kind, scope, n)
    JOIN scope_account a ON a.scope_id = w.scope
    JOIN organization o ON o.id = its_org
    LEFT JOIN api_key k ON k.id = its_key;

  RETURN QUERY
  WITH short AS MATERIALIZED (
    SELECT w.kind, a.scope_id, w.lim, a.used_micro, a.leased_micro
      FROM unnest(kinds, scopes, limits) AS w (kind, scope, lim)
      JOIN scope_account a ON a.scope_id = w.scope
     WHERE w.lim - a.used_micro - a.leased_micro < its_reserved)
  SELECT 'short', NULL::uuid, s.scope_id::text, s.lim, s.used_micro, s.leased_micro, r.awaits,
         r.recall
    FROM short s
   CROSS JOIN LATERAL job_awaits(
           its_holder, s.scope_id, t,
           (SELECT p.number FROM unnest(awaited, awaited_recalls) AS p (scope, number)
             WHERE p.scope = s.scope_id)) r
   ORDER BY s.kind;
  IF FOUND THEN
    DELETE FROM idempotency i
     WHERE i.org_id = its_org AND i.endpoint = its_endpoint AND i.key = its_idempotency_key;
    RETURN;
  END IF;

  INSERT INTO lease (holder, scope_id, granted_micro, answered)
  SELECT its_holder, a.scope_id, its_reserved, a.recall FROM scope_account a
   WHERE a.scope_id = ANY (scopes) ORDER BY a.scope_id;
  UPDATE scope_account a
     SET leased_micro = a.leased_micro + its_reserved,
         limit_micro = CASE WHEN w.kind = 1 THEN a.limit_micro
                            WHEN w.lim IS NULL THEN NULL
                            WHEN a.limit_micro IS NULL THEN NULL
                            ELSE greatest(a.limit_micro, w.lim) END,
         version = a.version + 1
    FROM unnest(kinds, scopes, limits) AS w (kind, scope, lim)
   WHERE a.scope_id = w.scope;
  INSERT INTO media_job (id, org_id, key_id, request_id, day, kind, model, provider,
                         estimated_cost_micro, max_cost_micro, params, webhook_url, metadata,
                         created_at, expires_at, next_look_at)
  VALUES (its_id, its_org, its_key, its_request, its_day, its_kind, its_model, its_provider,
          its_reserved, its_max, its_params, its_webhook, its_metadata, t, t + its_ttl, t);
  RETURN QUERY SELECT 'made', its_id, NULL::text, NULL::bigint, NULL::bigint, NULL::bigint, false,
                      NULL::bigint;
END $$;

-- Whether a scope that has not enough may have it soon, and the number of the recall that living
-- nodes answer until then. number: of the one that was awaited already, null for none.
CREATE FUNCTION job_awaits(its_holder text, its_scope text, t timestamptz, number bigint)
RETURNS TABLE (awaits boolean, recall bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  IF number IS NOT NULL THEN
    RETURN QUERY SELECT EXISTS (SELECT 1 FROM ledger_others(its_holder, its_scope, t) o
                                 WHERE o.answered < number), number;
  ELSIF EXISTS (SELECT 1 FROM ledger_others(its_holder, its_scope, t)) THEN
    RETURN QUERY UPDATE scope_account a SET recall = a.recall + 1, version = a.version + 1
                  WHERE a.scope_id = its_scope RETURNING true, a.recall;
  ELSE
    RETURN QUERY SELECT false, NULL::bigint;
  END IF;
END $$;

-- ---------------------------------------------------------------------------------------------
-- Workers

-- Jobs that are due, at most so many, for a worker to look at until the lease ends: what is new,
-- what a provider works at and somebody should ask about, what shall be canceled, what expired.
-- Organizations take turns: of each its first, then of each its second. A worker's name is new with
-- each call, so that one that lost a job cannot be taken for the one that has it.
CREATE FUNCTION job_claim(its_worker text, its_lease interval, most integer)
RETURNS SETOF media_job LANGUAGE plpgsql SET search_path FROM CURRENT
-- However few there were when a plan was made.
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off AS $$
DECLARE
  t      timestamptz := ledger_now();
  chosen uuid[];
BEGIN
  -- Organizations that have a job that is not over, found one behind the other in the index.
  WITH RECURSIVE org AS (
    (SELECT j.org_id FROM media_job j WHERE j.completed_at IS NULL ORDER BY j.org_id LIMIT 1)
    UNION ALL
    SELECT (SELECT j.org_id FROM media_job j
             WHERE j.completed_at IS NULL AND j.org_id > o.org_id ORDER BY j.org_id LIMIT 1)
      FROM org o WHERE o.org_id IS NOT NULL),
  due AS (
    SELECT d.id, d.next_look_at,
           row_number() OVER (PARTITION BY o.org_id ORDER BY d.part, d.next_look_at) AS nth
      FROM org o
     CROSS JOIN LATERAL (
       (SELECT j.id, j.part, j.next_look_at FROM media_job j
         WHERE j.org_id = o.org_id AND j.part = 1 AND j.next_look_at <= t
           AND j.completed_at IS NULL
         ORDER BY j.next_look_at LIMIT 4 * most)
       UNION ALL
       (SELECT j.id, j.part, j.next_look_at FROM media_job j
         WHERE j.org_id = o.org_id AND j.part = 2 AND j.next_look_at <= t
           AND j.completed_at IS NULL
         ORDER BY j.next_look_at LIMIT 4 * most)) d
     WHERE o.org_id IS NOT NULL)
  SELECT array_agg(c.id ORDER BY c.nth, c.next_look_at) INTO chosen
    FROM (SELECT * FROM due ORDER BY nth, next_look_at LIMIT 4 * most) c;
  IF chosen IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH free AS (
    SELECT j.id FROM media_job j
     WHERE j.id = ANY (chosen) AND j.completed_at IS NULL AND j.next_look_at <= t
     ORDER BY array_position(chosen, j.id) LIMIT most FOR UPDATE SKIP LOCKED)
  UPDATE media_job j
     SET worker = its_worker, lease_until = t + its_lease, next_look_at = t + its_lease
    FROM free WHERE j.id = free.id
  RETURNING j.*;
END $$;

-- A sign of life of workers, one name for each job. Returns those that are theirs, and what they
-- should know of them; whoever is not named has lost the job.
CREATE FUNCTION job_heartbeat(workers text[], ids uuid[], its_lease interval)
RETURNS TABLE (job_id uuid, cancel_asked boolean, is_expired boolean)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  t timestamptz := ledger_now();
BEGIN
  PERFORM 1 FROM media_job j WHERE j.id = ANY (ids) ORDER BY j.id FOR UPDATE;
  RETURN QUERY
  UPDATE media_job j SET lease_until = t + its_lease, next_look_at = t + its_lease
    FROM unnest(workers, ids) AS w (worker, id)
   WHERE j.id = w.id AND j.worker = w.worker AND j.completed_at IS NULL
  RETURNING j.id, j.cancel_asked, j.expires_at <= t;
END $$;

-- The provider is about to hear of a job: whoever takes it up after this asks the provider for it
-- by its id before it submits it. False: it is not this worker's any more, or over.
CREATE FUNCTION job_intend(its_id uuid, its_worker text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE media_job j SET intent_at = coalesce(j.intent_at, ledger_now())
   WHERE j.id = its_id AND j.worker = its_worker AND j.status = 'queued';
  RETURN FOUND;
END $$;

-- When a job that is given back is looked at again: at once where something waits for it.
CREATE FUNCTION job_next_look(its_job media_job, t timestamptz, next_look interval)
RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN its_job.cancel_asked THEN t
              ELSE greatest(t, least(t + next_look, its_job.expires_at)) END
$$;

-- The provider has it, and calls it so. The worker gives it back.
CREATE FUNCTION job_submitted(its_id uuid, its_worker text, its_provider_job text,
                              next_look interval)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  t timestamptz := ledger_now();
BEGIN
  UPDATE media_job j
     SET status = 'submitted', provider_job = its_provider_job, tries = 0,
         worker = NULL, lease_until = NULL, next_look_at = job_next_look(j, t, next_look)
   WHERE j.id = its_id AND j.worker = its_worker AND j.status = 'queued';
  RETURN FOUND;
END $$;

-- The provider makes it. The worker gives it back.
CREATE FUNCTION job_running(its_id uuid, its_worker text, its_progress integer,
                            next_look interval)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  t timestamptz := ledger_now();
BEGIN
  UPDATE media_job j
     SET status = 'running', progress = its_progress, tries = 0,
         started_at = coalesce(j.started_at, date_trunc('milliseconds', t)),
         worker = NULL, lease_until = NULL, next_look_at = job_next_look(j, t, next_look)
   WHERE j.id = its_id AND j.worker = its_worker AND j.status IN ('submitted', 'running');
  RETURN FOUND;
END $$;

-- Nothing was learned, or nothing new. The worker gives it back.
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

-- ---------------------------------------------------------------------------------------------
-- Ends

-- Ends a job whose row is locked and was not over: what it cost is charged, what was held for it is
-- free, and whoever wanted to hear of it will. Its charge belongs to the windows of its submission.
CREATE FUNCTION job_end(its_job media_job, its_status text, its_cost bigint,
                        its_code text, its_message text)
RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  t          timestamptz := date_trunc('milliseconds', ledger_now());
  today      date := (t AT TIME ZONE 'UTC')::date;
  its_holder text := 'job:' || its_job.id;
  scopes     text[];
BEGIN
  UPDATE media_job j
     SET status = its_status, cost_micro = its_cost, error_code = its_code,
         error_message = its_message, completed_at = t, worker = NULL, lease_until = NULL,
         cancel_asked = false,
         started_at = CASE WHEN its_status = 'succeeded' THEN coalesce(j.started_at, t)
                           ELSE j.started_at END,
         progress = CASE WHEN its_status = 'succeeded' AND j.progress IS NOT NULL THEN 100
                         ELSE j.progress END
   WHERE j.id = its_job.id;
  IF its_job.day BETWEEN today - 8 AND today + 8 THEN
    PERFORM ledger_partition(its_job.day);
  END IF;
  LOCK TABLE ONLY settlement IN ROW EXCLUSIVE MODE;
  IF its_job.day < today THEN
    PERFORM ledger_await_day(its_job.day);
  END IF;

  SELECT array_agg(s.scope_id) INTO scopes
    FROM ledger_scopes(its_job.org_id, its_job.key_id, its_job.day) s;
  PERFORM 1 FROM scope_account WHERE scope_id = ANY (scopes) ORDER BY scope_id FOR NO KEY UPDATE;
  PERFORM 1 FROM lease WHERE holder = its_holder ORDER BY scope_id, holder FOR NO KEY UPDATE;
  INSERT INTO settlement (
    day, request_id, org_id, key_id, holder, held, reserved_micro, cost_micro, overrun_micro,
    prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated, how)
  VALUES (
    its_job.day, its_job.request_id, its_job.org_id, its_job.key_id, its_holder, 15,
    its_job.estimated_cost_micro, its_cost,
    greatest(its_cost - its_job.estimated_cost_micro, 0), 0, 0, 0, 0, false,
    CASE its_status WHEN 'succeeded' THEN 'completed' WHEN 'canceled' THEN 'abandoned'
                    ELSE 'partial' END);
  WITH held AS MATERIALIZED (
    SELECT l.scope_id, l.granted_micro - l.spent_micro AS idle FROM lease l
     WHERE l.holder = its_holder AND l.state = 'open'),
  ended AS (
    UPDATE lease l
       SET spent_micro = l.spent_micro + its_cost,
           granted_micro = l.granted_micro + greatest(its_cost - h.idle, 0),
           overrun_micro = l.overrun_micro + greatest(its_cost - h.idle, 0),
           state = 'closed', closed_at = t
      FROM held h WHERE l.holder = its_holder AND l.scope_id = h.scope_id)
  UPDATE scope_account a
     SET used_micro = a.used_micro + its_cost,
         leased_micro = a.leased_micro - coalesce(h.idle, 0),
         beyond_micro = a.beyond_micro + greatest(its_cost - coalesce(h.idle, 0), 0),
         version = a.version + 1
    FROM unnest(scopes) AS s (scope_id) LEFT JOIN held h ON h.scope_id = s.scope_id
   WHERE a.scope_id = s.scope_id;

  IF its_job.webhook_url IS NOT NULL AND its_status IN ('succeeded', 'failed') THEN
    INSERT INTO webhook_event (id, org_id, job_id, event, url, request_id, created_at,
                               next_attempt_at)
    VALUES (gen_random_uuid(), its_job.org_id, its_job.id,
            CASE its_status WHEN 'succeeded' THEN 'job.completed' ELSE 'job.failed' END,
            its_job.webhook_url, its_job.request_id, t, t);
  END IF;
END $$;

-- The provider has made it, and its artifacts lie in our storage, to be kept for so long. False, as
-- below: it is not this worker's any more, or over.
CREATE FUNCTION job_succeed(
  its_id uuid, its_worker text, its_cost bigint, its_retention interval,
  artifacts uuid[], types text[], content_types text[], blob_keys text[], sizes bigint[],
  widths integer[], heights integer[], durations double precision[])
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  its_job media_job;
  t       timestamptz := date_trunc('milliseconds', ledger_now());
BEGIN
  SELECT * INTO its_job FROM media_job j
   WHERE j.id = its_id AND j.worker = its_worker AND j.status IN ('submitted', 'running')
     FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO media_artifact (id, job_id, type, content_type, blob_key, size_bytes, width, height,
                              duration_seconds, created_at)
  SELECT a.id, its_id, a.type, a.content_type, a.blob_key, a.size, a.width, a.height, a.duration, t
    FROM unnest(artifacts, types, content_types, blob_keys, sizes, widths, heights, durations)
           AS a (id, type, content_type, blob_key, size, width, height, duration);
  UPDATE media_job j SET retain_until = t + its_retention
   WHERE j.id = its_id AND cardinality(artifacts) > 0;
  PERFORM job_end(its_job, 'succeeded', its_cost, NULL, NULL);
  RETURN true;
END $$;

-- The provider failed, or we did, and it is certain that nothing will come of it.
CREATE FUNCTION job_fail(its_id uuid, its_worker text, its_code text, its_message text)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  its_job media_job;
BEGIN
  SELECT * INTO its_job FROM media_job j
   WHERE j.id = its_id AND j.worker = its_worker AND j.completed_at IS NULL FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM job_end(its_job, 'failed', 0, its_code, its_message);
  RETURN true;
END $$;

-- Its time is over. Also false: it is not.
CREATE FUNCTION job_expire(its_id uuid, its_worker text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  its_job media_job;
BEGIN
  SELECT * INTO its_job FROM media_job j
   WHERE j.id = its_id AND j.worker = its_worker AND j.completed_at IS NULL
     AND j.expires_at <= ledger_now() FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM job_end(its_job, 'expired', 0, NULL, NULL);
  RETURN true;
END $$;

-- The provider has given it up, or never heard of it. Also false: nobody wants that any more.
CREATE FUNCTION job_canceled(its_id uuid, its_worker text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  its_job media_job;
BEGIN
  SELECT * INTO its_job FROM media_job j
   WHERE j.id = its_id AND j.worker = its_worker AND j.completed_at IS NULL FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM job_end(its_job, 'canceled', 0, NULL, NULL);
  RETURN true;
END $$;

-- The provider does not give it up: it goes on. The worker gives it back.
CREATE FUNCTION job_cancel_refused(its_id uuid, its_worker text, next_look interval)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
-- Its owner

-- Cancels a job at once where no provider can have heard of it: 'canceled'; else asks for it:
-- 'asked'. Or it is 'over' or 'unknown'. its_org, its_kind: null for any.
CREATE FUNCTION job_cancel(its_org uuid, its_kind text, its_id uuid) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  its_job media_job;
BEGIN
  SELECT * INTO its_job FROM media_job j
   WHERE j.id = its_id AND j.removed_at IS NULL
     AND (its_org IS NULL OR j.org_id = its_org) AND (its_kind IS NULL OR j.kind = its_kind)
     FOR UPDATE;
  IF NOT FOUND THEN
    RETURN 'unknown';
  ELSIF its_job.completed_at IS NOT NULL THEN
    RETURN 'over';
  ELSIF its_job.status = 'queued' AND its_job.intent_at IS NULL THEN
    PERFORM job_end(its_job, 'canceled', 0, NULL, NULL);
    RETURN 'canceled';
  END IF;
  UPDATE media_job j
     SET cancel_asked = true,
         next_look_at = CASE WHEN j.worker IS NULL THEN ledger_now() ELSE j.next_look_at END
   WHERE j.id = its_id AND NOT j.cancel_asked;
  RETURN 'asked';
END $$;

-- Whoever asked for it does not wait any longer, and was told that it cannot be canceled. False: it
-- is over, or nobody asks for it any more.
CREATE FUNCTION job_cancel_withdrawn(its_org uuid, its_id uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE media_job j SET cancel_asked = false
   WHERE j.id = its_id AND (its_org IS NULL OR j.org_id = its_org)
     AND j.completed_at IS NULL AND j.cancel_asked;
  RETURN FOUND;
END $$;

-- Removes a job that is over: 'removed', or it is 'open' or 'unknown'. What a replay of its
-- submission is told stays for as long as that is remembered; its artifacts are due to be deleted.
CREATE FUNCTION job_remove(its_org uuid, its_kind text, its_id uuid) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  its_job media_job;
  t       timestamptz := ledger_now();
BEGIN
  SELECT * INTO its_job FROM media_job j
   WHERE j.id = its_id AND j.removed_at IS NULL
     AND (its_org IS NULL OR j.org_id = its_org) AND (its_kind IS NULL OR j.kind = its_kind)
     FOR UPDATE;
  IF NOT FOUND THEN
    RETURN 'unknown';
  ELSIF its_job.completed_at IS NULL THEN
    RETURN 'open';
  END IF;
  DELETE FROM webhook_event w WHERE w.job_id = its_id AND w.state = 'pending';
  UPDATE media_job j
     SET removed_at = t, params = '{}', metadata = '{}', webhook_url = NULL,
         error_message = CASE WHEN j.error_code IS NULL THEN NULL ELSE '' END,
         retain_until = CASE WHEN j.retain_until IS NULL THEN NULL ELSE t END
   WHERE j.id = its_id;
  RETURN 'removed';
END $$;

-- ---------------------------------------------------------------------------------------------
-- What was kept for long enough

-- Artifacts whose bytes are due to be deleted, at most so many.
CREATE FUNCTION job_artifacts_due(most integer) RETURNS TABLE (artifact_id uuid, blob_key text)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT a.id, a.blob_key
    FROM media_job j JOIN media_artifact a ON a.job_id = j.id
   WHERE j.retain_until <= ledger_now()
   ORDER BY j.retain_until LIMIT most
$$;

-- Forgets artifacts whose bytes were deleted.
CREATE FUNCTION job_artifacts_forget(ids uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  jobs uuid[];
BEGIN
  SELECT array_agg(DISTINCT a.job_id) INTO jobs FROM media_artifact a WHERE a.id = ANY (ids);
  PERFORM 1 FROM media_job j WHERE j.id = ANY (jobs) ORDER BY j.id FOR UPDATE;
  DELETE FROM media_artifact a WHERE a.id = ANY (ids);
  UPDATE media_job j SET retain_until = NULL
   WHERE j.id = ANY (jobs)
     AND NOT EXISTS (SELECT 1 FROM media_artifact a WHERE a.job_id = j.id);
END $$;

-- Forgets jobs that were over for so long, or were removed, and that nothing refers to any more;
-- returns how many.
CREATE FUNCTION job_tidy(kept interval, most integer) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  t    timestamptz := ledger_now();
  jobs uuid[];
BEGIN
  SELECT array_agg(o.id) INTO jobs
    FROM (SELECT j.id FROM media_job j
           WHERE j.id IN (SELECT i.id FROM media_job i WHERE i.completed_at <= t - kept
                           UNION ALL
                          SELECT i.id FROM media_job i WHERE i.removed_at IS NOT NULL)
             AND NOT EXISTS (SELECT 1 FROM media_artifact a WHERE a.job_id = j.id)
             AND NOT EXISTS (SELECT 1 FROM webhook_event w
                              WHERE w.job_id = j.id AND w.state = 'pending')
             AND NOT EXISTS (SELECT 1 FROM idempotency i WHERE i.job_id = j.id)
           ORDER BY j.completed_at LIMIT most FOR UPDATE SKIP LOCKED) o;
  IF jobs IS NULL THEN
    RETURN 0;
  END IF;
  DELETE FROM webhook_event w WHERE w.job_id = ANY (jobs);
  DELETE FROM media_job j WHERE j.id = ANY (jobs);
  RETURN cardinality(jobs);
END $$;

-- Whether a node that was not released, or a job that is not over, may still have charges of a day.
CREATE OR REPLACE FUNCTION ledger_is_owed(its_day date) RETURNS boolean LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT EXISTS (
    SELECT 1 FROM node_epoch n
      LEFT JOIN node_report r ON r.node_id = n.node_id AND r.epoch = n.epoch
     WHERE n.state <> 'closed'
       AND (least(n.heartbeat_at, r.owes_since) AT TIME ZONE 'UTC')::date <= its_day + 1)
    OR EXISTS (SELECT 1 FROM media_job j WHERE j.completed_at IS NULL AND j.day = its_day)
$$;
