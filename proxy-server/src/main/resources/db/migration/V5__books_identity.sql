-- How a node notices that the books are not those it settled to, or are those of an earlier time:
-- a backup was restored, a replica that lagged was promoted, another database stands in its place.

-- Which books these are, as far as a table can say it: a copy of them says the same.
CREATE TABLE books (
  id          integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  incarnation uuid    NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO books DEFAULT VALUES;

-- How far the charges of a node's journal came. kept_from: all that stands in segments before this
-- one is in the books. batches: of its present life, counted in the transaction that booked them.
-- ticked: the number of its last sign of life, which comes after the grants that it was given.
-- All are columns of the books like the charges, so they go back with them.
CREATE TABLE node_mark (
  node_id   uuid   PRIMARY KEY,
  epoch     bigint NOT NULL,
  batches   bigint NOT NULL DEFAULT 0,
  ticked    bigint NOT NULL DEFAULT 0,
  kept_from bigint NOT NULL
) WITH (fillfactor = 50);

-- When an operator accepted that charges of a node's journal are missing: those that stood in the
-- segments from kept_from to before rebased_to.
CREATE TABLE node_rebase (
  id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  node_id    uuid        NOT NULL,
  kept_from  bigint      NOT NULL,
  rebased_to bigint      NOT NULL,
  actor      text        NOT NULL,
  at         timestamptz NOT NULL DEFAULT now()
);

-- The cluster's own name, and the timeline it writes now. Empty where a role may not ask.
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

-- Which books these are, and what they know of a node; epoch 0: nothing.
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

-- Raises a node's mark, if these are the books that it means: the same ones, with its present life
-- and all of its batches. Says what they are in any case.
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

-- Accepts the books as they are: what a node's journal lacks is not asked for any more.
CREATE FUNCTION ledger_rebase(its_node uuid, its_from bigint, its_actor text) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT AS $$
  INSERT INTO node_rebase (node_id, kept_from, rebased_to, actor)
  SELECT its_node, b.kept_from, its_from, its_actor FROM ledger_books(its_node) b;
  INSERT INTO node_mark AS m (node_id, epoch, kept_from) VALUES (its_node, 0, its_from)
  ON CONFLICT (node_id) DO UPDATE SET kept_from = greatest(m.kept_from, excluded.kept_from);
$$;
