-- A node may have a lease for each of some 100,000 sums. They end in portions, a transaction each:
-- in one it would take longer than a session may, and everybody else would wait for their rows.

-- So that a portion is found without reading the leases that ended.
CREATE INDEX lease_open_by_holder ON lease (holder, scope_id) WHERE state = 'open';

-- Takes from a node's present life the right to spend, and ends at most so many of its leases;
-- returns how many. its_epoch and its_boot: only of this life; null: of any. What is left keeps its
-- money held, as that of a node that was lost.
CREATE FUNCTION ledger_let_go(its_node uuid, its_epoch bigint, its_boot uuid, most integer)
RETURNS integer LANGUAGE plpgsql SET search_path FROM CURRENT
-- However small the tables were when a plan was made.
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  holders text := 'node:' || its_node || ':' || coalesce(its_epoch::text, '');
  behind  text := holders || CASE WHEN its_epoch IS NULL THEN ';' ELSE '!' END;
  scopes  text[];
BEGIN
  -- Grants hold a key share of this row: none of that life is under way after this.
  PERFORM 1 FROM node_epoch WHERE node_id = its_node FOR UPDATE;
  UPDATE node_epoch SET state = 'lost'
   WHERE node_id = its_node AND state = 'open'
     AND (its_epoch IS NULL OR (epoch = its_epoch AND boot_id = its_boot));
  SELECT array_agg(l.scope_id) INTO scopes
    FROM (SELECT scope_id FROM lease
           WHERE holder >= holders AND holder < behind AND state = 'open'
           ORDER BY holder, scope_id LIMIT most) l;
  IF scopes IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM 1 FROM scope_account WHERE scope_id = ANY (scopes) ORDER BY scope_id FOR NO KEY UPDATE;
  WITH ended AS (
    UPDATE lease SET state = 'closed', closed_at = ledger_now()
     WHERE holder >= holders AND holder < behind AND scope_id = ANY (scopes) AND state = 'open'
    RETURNING scope_id, granted_micro - spent_micro AS idle)
  UPDATE scope_account a
     SET leased_micro = a.leased_micro - e.idle, version = a.version + 1
    FROM (SELECT scope_id, sum(idle)::bigint AS idle FROM ended GROUP BY scope_id) e
   WHERE a.scope_id = e.scope_id AND e.idle <> 0;
  RETURN cardinality(scopes);
END $$;
