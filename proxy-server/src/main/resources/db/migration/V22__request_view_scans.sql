-- expand
-- Indexes of the request view that hold all that a filter may name. A look at 100,000 requests of
-- an organization reads its part of one of them, and not the table, where the organization's rows
-- lie among those of all others. Nodes of the version before read by them too.
--
-- The projection waits while they are made; nothing else writes to the view.
CREATE INDEX request_view_scan ON request_view (org_id, request_id)
  INCLUDE (at, cost_micro, prompt_tokens, completion_tokens, total_ms, ttft_ms, day, status,
           stream, estimated, fallback, key_id, model, provider, endpoint, outcome, code, client_ip);
CREATE INDEX request_view_scan_failures ON request_view (org_id, request_id)
  INCLUDE (at, cost_micro, prompt_tokens, completion_tokens, total_ms, ttft_ms, day, status,
           stream, estimated, fallback, key_id, model, provider, endpoint, outcome, code, client_ip)
  WHERE outcome NOT IN ('ok', 'ok_estimated', 'replayed');

-- Until a vacuum has seen a row, a look at it reads the table. So a day of the view is vacuumed when
-- 50,000 rows of it are new, not when a fifth of it is.
CREATE FUNCTION request_view_vacuum(child text) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  EXECUTE format('ALTER TABLE %I SET (autovacuum_vacuum_insert_scale_factor = 0,'
                 ' autovacuum_vacuum_insert_threshold = 50000)', child);
END $$;

SELECT request_view_vacuum(c.relname::text)
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
 WHERE i.inhparent = 'request_view'::regclass;

-- Makes a day's partitions. Attaching one does not stop writers to the others.
CREATE OR REPLACE FUNCTION ledger_partition(its_day date) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  parent text;
  child  text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['settlement', 'request_log', 'request_view'] LOOP
    child := parent || '_' || to_char(its_day, 'YYYYMMDD');
    IF to_regclass(child) IS NULL THEN
      PERFORM pg_advisory_xact_lock(7455832);
      IF to_regclass(child) IS NULL THEN
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', child, parent);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                       parent, child, its_day, its_day + 1);
        IF parent = 'request_view' THEN
          PERFORM request_view_vacuum(child);
        END IF;
      END IF;
    END IF;
  END LOOP;
END $$;
