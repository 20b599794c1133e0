-- expand
-- Media jobs: submission, ends and the steps of their owners. Every function is one call in
-- autocommit. Locks are taken in one order: the submission's idempotency row, the job's row, then
-- scopes and leases as everywhere else.

-- ---------------------------------------------------------------------------------------------
-- Submission

-- Whether a scope that has not enough money may have it soon, and the number of the recall that
-- live nodes answer until then. number: of the recall that was awaited already, null for none.
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

-- Submits a job without images: one row 'made', 'replay' (with the job that the submission became)
-- or 'conflict' (another body), or one 'short' for each scope that has not enough money. A scope
-- that awaits may have enough as soon as live nodes give back idle money: they were asked with the
-- number recall. A caller that submits again names those that it awaited, and is refused for good
-- when all of them were answered.
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
    -- A caller that loses the race for the row waits here, and reads the outcome of the other.
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

-- Submits a job with images that are in the storage, which become the job's if one is made.
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

-- ---------------------------------------------------------------------------------------------
-- Ends

-- Ends a job whose row is locked and that is not over: its cost is charged, the money reserved for
-- it is free, and its webhook event is made. The charge belongs to the windows of the submission.
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

-- Ends a job that its provider finished and whose artifacts are in the storage, to be kept for so
-- long. False, as below: another worker has the job, or it is over.
CREATE FUNCTION job_succeed(
  its_id uuid, its_worker text, its_cost bigint, its_retention interval,
  artifacts uuid[], types text[], content_types text[], blob_keys text[], sizes bigint[],
  widths integer[], heights integer[], durations double precision[])
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
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

-- Ends a job that failed, at the provider or here, and that is certain to have no result.
CREATE FUNCTION job_fail(its_id uuid, its_worker text, its_code text, its_message text)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
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

-- Ends a job whose time is over. Also false: it is not.
CREATE FUNCTION job_expire(its_id uuid, its_worker text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
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

-- Ends a job that its provider canceled or never had. Also false: it is not to be canceled any
-- more.
CREATE FUNCTION job_canceled(its_id uuid, its_worker text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
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

-- ---------------------------------------------------------------------------------------------
-- The owner

-- Cancels a job at once where no provider can have it: 'canceled'; else asks its worker to:
-- 'asked'. Or it is 'over' or 'unknown'. its_org, its_kind: null for any.
CREATE FUNCTION job_cancel(its_org uuid, its_kind text, its_id uuid) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
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

-- Withdraws the wish to cancel: the owner does not wait any longer, and was answered that the job
-- cannot be canceled. False: the job is over, or there is no such wish.
CREATE FUNCTION job_cancel_withdrawn(its_org uuid, its_id uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
BEGIN
  UPDATE media_job j SET cancel_asked = false
   WHERE j.id = its_id AND (its_org IS NULL OR j.org_id = its_org)
     AND j.completed_at IS NULL AND j.cancel_asked;
  RETURN FOUND;
END $$;

-- Removes a job that is over: 'removed', or it is 'open' or 'unknown'. The reply to a replay of its
-- submission is kept as long as the submission; its artifacts are due to be deleted.
CREATE FUNCTION job_remove(its_org uuid, its_kind text, its_id uuid) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  its_job   media_job;
  its_event webhook_event;
  t         timestamptz := ledger_now();
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
  SELECT * INTO its_event FROM webhook_event w WHERE w.job_id = its_id FOR UPDATE;
  IF its_event.state = 'pending' THEN
    DELETE FROM webhook_event w WHERE w.id = its_event.id;
  END IF;
  UPDATE media_job j
     SET removed_at = t, params = '{}', metadata = '{}', webhook_url = NULL,
         error_message = CASE WHEN j.error_code IS NULL THEN NULL ELSE '' END,
         retain_until = CASE WHEN j.retain_until IS NULL THEN NULL ELSE t END
   WHERE j.id = its_id;
  RETURN 'removed';
END $$;
