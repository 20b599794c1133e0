-- Days that are summed up and dropped, nodes that never come back, and when the books were audited.

-- ---------------------------------------------------------------------------------------------
-- Days. A day is closed when its sums are made; what is booked late adds itself to them.

ALTER TABLE settlement_rollup
  ADD COLUMN prompt_tokens     bigint NOT NULL DEFAULT 0,
  ADD COLUMN completion_tokens bigint NOT NULL DEFAULT 0;

-- The days that are stored.
CREATE FUNCTION ledger_days(parent text) RETURNS TABLE (day date, closed boolean)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT to_date(right(c.relname, 8), 'YYYYMMDD'),
         EXISTS (SELECT 1 FROM pg_trigger t
                  WHERE t.tgrelid = c.oid AND t.tgname = 'settlement_late')
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent = parent::regclass
$$;

-- Whoever books a charge holds its scopes' rows, so two of them never meet here.
CREATE FUNCTION ledger_late() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO settlement_rollup AS r
    (day, scope_id, sum_micro, n, prompt_tokens, completion_tokens)
  SELECT NEW.day, s.scope_id, NEW.cost_micro, 1, NEW.prompt_tokens, NEW.completion_tokens
    FROM ledger_scopes(NEW.org_id, NEW.key_id, NEW.day) s
  ON CONFLICT (day, scope_id) DO UPDATE
    SET sum_micro = r.sum_micro + excluded.sum_micro,
        n = r.n + 1,
        prompt_tokens = r.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = r.completion_tokens + excluded.completion_tokens;
  RETURN NULL;
END $$;

-- Closes a day that is stored. Its late charges wait meanwhile, those of other days do not.
CREATE FUNCTION ledger_close_day(its_day date) RETURNS boolean LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  child text := 'settlement_' || to_char(its_day, 'YYYYMMDD');
BEGIN
  IF NOT pg_try_advisory_xact_lock(7455833)
     OR NOT EXISTS (SELECT 1 FROM ledger_days('settlement') d
                     WHERE d.day = its_day AND NOT d.closed) THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TRIGGER settlement_late AFTER INSERT ON %I'
                 ' FOR EACH ROW EXECUTE FUNCTION ledger_late()', child);
  DELETE FROM settlement_rollup r WHERE r.day = its_day;
  INSERT INTO settlement_rollup (day, scope_id, sum_micro, n, prompt_tokens, completion_tokens)
  SELECT its_day, s.scope_id, sum(p.cost), sum(p.n), sum(p.prompt), sum(p.completion)
    FROM (SELECT org_id, key_id, sum(cost_micro) AS cost, count(*) AS n,
                 sum(prompt_tokens) AS prompt, sum(completion_tokens) AS completion
            FROM settlement WHERE day = its_day GROUP BY 1, 2) p
   CROSS JOIN LATERAL ledger_scopes(p.org_id, p.key_id, its_day) s
   GROUP BY s.scope_id;
  RETURN true;
END $$;

-- Days that are over for an hour and not closed.
CREATE FUNCTION ledger_days_to_close() RETURNS SETOF date LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT d.day FROM ledger_days('settlement') d
   WHERE NOT d.closed
     AND d.day < ((ledger_now() - interval '1 hour') AT TIME ZONE 'UTC')::date
   ORDER BY 1
$$;

-- Days that are stored for longer than so many, at least 8.
CREATE FUNCTION ledger_days_over(parent text, days integer) RETURNS SETOF date LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT d.day FROM ledger_days(parent) d
   WHERE d.day < (ledger_now() AT TIME ZONE 'UTC')::date - greatest(days, 8)
   ORDER BY 1
$$;

-- What a node says of itself, about once a second: since when it may have charges that are not in
-- the books. number: of its epoch's last report.
CREATE TABLE node_report (
  node_id    uuid        PRIMARY KEY REFERENCES node_epoch (node_id),
  epoch      bigint      NOT NULL,
  number     bigint      NOT NULL,
  owes_since timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Whether a node that was not released may still have charges of a day.
CREATE FUNCTION ledger_is_owed(its_day date) RETURNS boolean LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT EXISTS (
    SELECT 1 FROM node_epoch n
      LEFT JOIN node_report r ON r.node_id = n.node_id AND r.epoch = n.epoch
     WHERE n.state <> 'closed'
       AND (least(n.heartbeat_at, r.owes_since) AT TIME ZONE 'UTC')::date <= its_day + 1)
$$;

-- Drops a day's charges; their sums stay. A lock that is not to be had soon is not waited for:
-- whoever books would wait behind it.
DROP FUNCTION ledger_retain(integer);
CREATE FUNCTION ledger_drop_charges(its_day date) RETURNS boolean LANGUAGE plpgsql
SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(7455833) OR ledger_is_owed(its_day) THEN
    RETURN false;
  END IF;
  PERFORM ledger_close_day(its_day);
  EXECUTE format('DROP TABLE %I', 'settlement_' || to_char(its_day, 'YYYYMMDD'));
  RETURN true;
END $$;

CREATE FUNCTION ledger_drop_requests(its_day date) RETURNS boolean LANGUAGE plpgsql
SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(7455833) THEN
    RETURN false;
  END IF;
  EXECUTE format('DROP TABLE %I', 'request_log_' || to_char(its_day, 'YYYYMMDD'));
  RETURN true;
END $$;

-- ---------------------------------------------------------------------------------------------
-- Nodes that are silent

-- lost: it was silent for so long that it may not spend any more, and may still have charges.
ALTER TABLE node_epoch DROP CONSTRAINT node_epoch_state_check;
ALTER TABLE node_epoch
  ADD CONSTRAINT node_epoch_state_check CHECK (state IN ('open', 'lost', 'closed'));

-- What a holder has charged to a lease, reserved of it, and may soon want of it: in all, since it
-- has the lease.
CREATE TABLE lease_report (
  holder          text   COLLATE "C" NOT NULL,
  scope_id        text   COLLATE "C" NOT NULL,
  committed_micro bigint NOT NULL,
  PRIMARY KEY (holder, scope_id)
) WITH (fillfactor = 50);

CREATE TABLE node_release (
  id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  node_id     uuid        NOT NULL,
  epoch       bigint      NOT NULL,
  silent_for  interval    NOT NULL,
  freed_micro bigint      NOT NULL,
  actor       text        NOT NULL,
  at          timestamptz NOT NULL DEFAULT now()
);

CREATE TRIGGER node_release_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON node_release
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- False where the holder is not the node's present life, or has said something newer.
CREATE FUNCTION ledger_report(
  its_node uuid, its_epoch bigint, its_boot uuid, its_number bigint,
  owes_seconds double precision, scopes text[], amounts bigint[])
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  its_holder text := 'node:' || its_node || ':' || its_epoch;
BEGIN
  PERFORM 1 FROM node_epoch
    WHERE node_id = its_node AND epoch = its_epoch AND boot_id = its_boot AND state = 'open'
    FOR KEY SHARE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO node_report AS r (node_id, epoch, number, owes_since)
  VALUES (its_node, its_epoch, its_number, ledger_now() - make_interval(secs => owes_seconds))
  ON CONFLICT (node_id) DO UPDATE
    SET epoch = excluded.epoch, number = excluded.number, owes_since = excluded.owes_since
  WHERE (r.epoch, r.number) < (excluded.epoch, excluded.number);
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO lease_report AS r (holder, scope_id, committed_micro)
  SELECT its_holder, c.scope, c.amount FROM unnest(scopes, amounts) AS c (scope, amount)
   ORDER BY c.scope COLLATE "C"
  ON CONFLICT (holder, scope_id) DO UPDATE SET committed_micro = excluded.committed_micro;
  RETURN true;
END $$;

-- Nodes that were silent for so long are lost: they may not spend, and what their leases hold above
-- what they had committed is free again. One of them each call, so that locks are taken in order.
CREATE FUNCTION ledger_lose(silence interval)
RETURNS TABLE (node_id uuid, freed_micro bigint) LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  silent record;
  freed  bigint;
BEGIN
  SELECT n.node_id, n.holder INTO silent FROM node_epoch n
   WHERE n.state = 'open' AND n.heartbeat_at < ledger_now() - silence
   LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF FOUND THEN
    UPDATE node_epoch SET state = 'lost' WHERE node_id = silent.node_id;
    PERFORM 1 FROM scope_account
      WHERE scope_id IN (SELECT scope_id FROM lease WHERE holder = silent.holder AND state = 'open')
      ORDER BY scope_id FOR NO KEY UPDATE;
    PERFORM 1 FROM lease WHERE holder = silent.holder AND state = 'open'
      ORDER BY scope_id, holder FOR NO KEY UPDATE;
    WITH spare AS MATERIALIZED (
      SELECT l.scope_id,
             l.granted_micro - greatest(l.spent_micro, l.overrun_micro, r.committed_micro)
               AS amount
        FROM lease l JOIN lease_report r ON r.holder = l.holder AND r.scope_id = l.scope_id
       WHERE l.holder = silent.holder AND l.state = 'open'
         AND l.granted_micro >
               greatest(l.spent_micro, l.overrun_micro, r.committed_micro)),
    leases AS (
      UPDATE lease l SET granted_micro = l.granted_micro - s.amount
        FROM spare s WHERE l.holder = silent.holder AND l.scope_id = s.scope_id),
    accounts AS (
      UPDATE scope_account a
         SET leased_micro = a.leased_micro - s.amount, version = a.version + 1
        FROM spare s WHERE a.scope_id = s.scope_id)
    SELECT coalesce(sum(s.amount), 0) INTO freed FROM spare s WHERE s.scope_id LIKE 'org:%';
    RETURN QUERY SELECT silent.node_id, freed;
  END IF;
END $$;

-- Closes the leases of a node that is silent: released, alive, closed or unknown. freed: of
-- balances.
CREATE FUNCTION ledger_release(its_node uuid, silence interval, its_actor text)
RETURNS TABLE (answer text, freed_micro bigint) LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  node  node_epoch%ROWTYPE;
  freed bigint;
BEGIN
  SELECT * INTO node FROM node_epoch WHERE node_id = its_node FOR UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'unknown', 0::bigint;
  ELSIF node.state = 'closed' THEN
    RETURN QUERY SELECT 'closed', 0::bigint;
  ELSIF node.heartbeat_at >= ledger_now() - silence THEN
    RETURN QUERY SELECT 'alive', 0::bigint;
  ELSE
    SELECT coalesce(sum(granted_micro - spent_micro), 0) INTO freed FROM lease
     WHERE holder = node.holder AND state = 'open' AND scope_id LIKE 'org:%';
    UPDATE node_epoch SET state = 'closed' WHERE node_id = its_node;
    PERFORM ledger_close_leases(node.holder, node.holder || '!');
    INSERT INTO node_release (node_id, epoch, silent_for, freed_micro, actor)
    VALUES (its_node, node.epoch, ledger_now() - node.heartbeat_at, freed, its_actor);
    RETURN QUERY SELECT 'released', freed;
  END IF;
END $$;

-- Forgets leases that were closed long ago, and those that nothing is left of in windows long over:
-- their holder said that it was its last word while charges to them were not booked yet.
CREATE FUNCTION ledger_tidy() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  long_ago date := (ledger_now() AT TIME ZONE 'UTC')::date - 8;
BEGIN
  DELETE FROM lease WHERE state = 'closed' AND closed_at < ledger_now() - interval '8 days';
  PERFORM 1 FROM scope_account
    WHERE (scope_id LIKE 'keyd:%' AND right(scope_id, 10) < to_char(long_ago, 'YYYY-MM-DD')
           OR scope_id ~ '^(keym|orgm):' AND right(scope_id, 7) < to_char(long_ago, 'YYYY-MM'))
      AND EXISTS (SELECT 1 FROM lease l
                   WHERE l.scope_id = scope_account.scope_id AND l.state = 'open'
                     AND l.granted_micro = l.spent_micro)
    ORDER BY scope_id FOR NO KEY UPDATE;
  DELETE FROM lease
   WHERE state = 'open' AND granted_micro = spent_micro
     AND (scope_id LIKE 'keyd:%' AND right(scope_id, 10) < to_char(long_ago, 'YYYY-MM-DD')
          OR scope_id ~ '^(keym|orgm):' AND right(scope_id, 7) < to_char(long_ago, 'YYYY-MM'));
  DELETE FROM lease_report r
   WHERE NOT EXISTS (SELECT 1 FROM lease l
                      WHERE l.holder = r.holder AND l.scope_id = r.scope_id AND l.state = 'open');
END $$;

-- ---------------------------------------------------------------------------------------------
-- The audit that the nodes make by themselves: one of them, every so often.

CREATE TABLE ledger_audit (
  one        boolean     PRIMARY KEY DEFAULT true CHECK (one),
  at         timestamptz NOT NULL,
  violations bigint      NOT NULL
);
