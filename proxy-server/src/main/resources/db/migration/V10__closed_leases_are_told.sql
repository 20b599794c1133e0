-- A holder forgets a lease when it hears that it is closed, and not because it said its last word:
-- a charge to it may not have been booked yet.

-- One row 'fenced', or 'alive', with a further row for each recall of the last hour that was not
-- answered, and one 'overran' for each lease that was stated and had grown in all because more was
-- spent, and one 'closed' for each that was stated and is closed.
CREATE OR REPLACE FUNCTION ledger_tick(
  its_node uuid, its_epoch bigint, its_boot uuid, its_number bigint,
  orgs uuid[], keys text[], scopes text[], bases bigint[], recalls bigint[], lasts boolean[])
RETURNS TABLE (
  answer text, bank_millis bigint, scope_id text, recall bigint, overrun bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT
-- Ten times a second on every node: never a whole table, whatever a plan takes its size to be.
SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  its_holder text := 'node:' || its_node || ':' || its_epoch;
  at         timestamptz := ledger_now();
  millis     bigint := floor(extract(epoch FROM at) * 1000);
BEGIN
  UPDATE node_epoch SET heartbeat_at = greatest(heartbeat_at, at)
   WHERE node_id = its_node AND epoch = its_epoch AND boot_id = its_boot AND state = 'open';
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'fenced', millis, NULL, 0::bigint, 0::bigint;
    RETURN;
  END IF;
  IF cardinality(scopes) > 0 THEN
    INSERT INTO scope_account (scope_id, org_id, key_id)
    SELECT s.scope, s.org, CASE WHEN starts_with(s.scope, 'key') THEN s.key END
      FROM unnest(scopes, orgs, keys) AS s (scope, org, key)
     WHERE NOT EXISTS (SELECT 1 FROM scope_account a WHERE a.scope_id = s.scope)
     ORDER BY s.scope COLLATE "C"
    ON CONFLICT DO NOTHING;
    PERFORM 1 FROM scope_account WHERE scope_id = ANY (scopes) ORDER BY scope_id FOR NO KEY UPDATE;
    PERFORM 1 FROM lease WHERE holder = its_holder AND scope_id = ANY (scopes)
      ORDER BY scope_id, holder FOR NO KEY UPDATE;
    PERFORM ledger_state(its_holder, its_number, at, scopes, bases, recalls, lasts);
  END IF;
  RETURN QUERY SELECT 'alive', millis, NULL, 0::bigint, 0::bigint;
  RETURN QUERY
  WITH recalled AS MATERIALIZED (
    SELECT a.scope_id, a.recall FROM scope_account a
     WHERE a.recalled_at > at - interval '1 hour'
     ORDER BY a.recalled_at DESC LIMIT 10000)
  SELECT 'alive', millis, a.scope_id, a.recall, 0::bigint
    FROM recalled a JOIN lease l ON l.holder = its_holder AND l.scope_id = a.scope_id
   WHERE l.state = 'open' AND l.granted_micro > l.spent_micro AND l.answered < a.recall
   ORDER BY a.scope_id;
  RETURN QUERY
  SELECT 'overran', millis, l.scope_id, 0::bigint, l.overrun_micro FROM lease l
   WHERE l.holder = its_holder AND l.scope_id = ANY (scopes) AND l.state = 'open'
     AND l.overrun_micro > 0
   ORDER BY l.scope_id;
  RETURN QUERY
  SELECT 'closed', millis, l.scope_id, 0::bigint, 0::bigint FROM lease l
   WHERE l.holder = its_holder AND l.scope_id = ANY (scopes) AND l.state = 'closed'
   ORDER BY l.scope_id;
END $$;
