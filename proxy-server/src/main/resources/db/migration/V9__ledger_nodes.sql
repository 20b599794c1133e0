-- expand
-- The ledger store: what it knows of the nodes that settle to it. Every function is one call in
-- autocommit; locks are taken in the order that V7__ledger_grants.sql names.

-- ---------------------------------------------------------------------------------------------
-- Marks. With them a node notices that this is not the ledger store to which it settled, or that it
-- went back in time: a backup was restored, a replica that lagged was promoted, another database
-- stands in its place.

-- The identifier of the database cluster, and the timeline that it writes now. Empty where the role
-- may not ask.
CREATE FUNCTION ledger_cluster(OUT system text, OUT timeline text)
LANGUAGE plpgsql AS $$
BEGIN
  system := '';
  timeline := '';
  BEGIN
    SELECT c.system_identifier::text INTO system FROM pg_control_system() c;
    timeline := left(pg_walfile_name(pg_current_wal_lsn()), 8);
  EXCEPTION WHEN OTHERS THEN
    NULL;
  END;
END $$;

-- The identity of this ledger store, and what it knows of a node; epoch 0: nothing.
CREATE FUNCTION ledger_books(its_node uuid)
RETURNS TABLE (incarnation text, system text, timeline text,
               epoch bigint, boot_id uuid, batches bigint, kept_from bigint)
LANGUAGE sql VOLATILE SET search_path FROM CURRENT AS $$
  SELECT b.incarnation::text, c.system, c.timeline, coalesce(n.epoch, 0), n.boot_id,
         CASE WHEN m.epoch = n.epoch THEN m.batches ELSE 0 END, coalesce(m.kept_from, 1)
    FROM books b CROSS JOIN ledger_cluster() c
    LEFT JOIN node_epoch n ON n.node_id = its_node
    LEFT JOIN node_mark m ON m.node_id = its_node
$$;

-- Raises a node's mark, if this is the ledger store that the node means: the same one, with the
-- node's present epoch and all of its batches. Returns its identity in any case.
CREATE FUNCTION ledger_mark(
  its_node uuid, its_epoch bigint, its_boot uuid,
  its_incarnation text, its_system text, its_timeline text, its_batches bigint, its_from bigint)
RETURNS TABLE (incarnation text, system text, timeline text,
               epoch bigint, boot_id uuid, batches bigint, kept_from bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO node_mark AS m (node_id, epoch, kept_from)
  SELECT its_node, its_epoch, its_from
    FROM ledger_books(its_node) b
   WHERE b.epoch = its_epoch AND b.boot_id = its_boot AND b.batches >= its_batches
     AND its_incarnation IN ('', b.incarnation)
     AND (its_system = b.system OR '' IN (its_system, b.system))
     AND (its_timeline = b.timeline OR '' IN (its_timeline, b.timeline))
  ON CONFLICT (node_id) DO UPDATE
    SET kept_from = greatest(m.kept_from, excluded.kept_from),
        batches = CASE WHEN m.epoch = excluded.epoch THEN m.batches ELSE 0 END,
        ticked = CASE WHEN m.epoch = excluded.epoch THEN m.ticked ELSE 0 END,
        epoch = excluded.epoch;
  RETURN QUERY SELECT * FROM ledger_books(its_node);
END $$;

-- Accepts the ledger store as it is: the charges that it lacks of a node's journal are given up.
CREATE FUNCTION ledger_rebase(its_node uuid, its_from bigint, its_actor text) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT AS $$
  INSERT INTO node_rebase (node_id, kept_from, rebased_to, actor)
  SELECT its_node, b.kept_from, its_from, its_actor FROM ledger_books(its_node) b;
  INSERT INTO node_mark AS m (node_id, epoch, kept_from) VALUES (its_node, 0, its_from)
  ON CONFLICT (node_id) DO UPDATE SET kept_from = greatest(m.kept_from, excluded.kept_from);
$$;

-- ---------------------------------------------------------------------------------------------
-- Reports, and nodes that are silent

-- Takes a node's report. False where the holder is not the node's present epoch, or a newer report
-- is there.
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

-- Marks a node that was silent for so long as lost: it may not spend, and the money of its leases
-- above the amounts that it had committed is free again. One node each call, so that locks are
-- taken in order.
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

-- Closes the leases of a node that is silent: 'released', 'alive', 'closed' or 'unknown'.
-- freed_micro: of balances.
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

-- Deletes leases that were closed long ago, and empty leases of windows long over, which were left
-- open because charges to them were not settled when their holder stated its last base.
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
