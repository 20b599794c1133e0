-- expand
-- The prices that requests were charged by.

-- Every price list that a node ever charged by. id: a hash of content, which charged requests name;
-- content: a JSON object of prices in pico-USD per unit.
CREATE TABLE price_sheet (
  id      text        COLLATE "C" PRIMARY KEY,
  content text        NOT NULL,
  at      timestamptz NOT NULL DEFAULT now()
);

-- What the cost of a job was computed from, in the same form as the member of that name in the rows
-- of other charged requests: a job's row is written when it is submitted. null: no job, not
-- charged, or charged by an older version.
ALTER TABLE request_log ADD COLUMN priced text;

-- Does what job_succeed does, and keeps what the cost was computed from with the request.
CREATE FUNCTION job_succeed_priced(
  its_id uuid, its_worker text, its_cost bigint, its_priced text, its_retention interval,
  artifacts uuid[], types text[], content_types text[], blob_keys text[], sizes bigint[],
  widths integer[], heights integer[], durations double precision[])
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  its_day     date;
  its_request text;
BEGIN
  -- A transaction that drops a day is waited for here, while no lock is held that a grant needs.
  LOCK TABLE ONLY request_log IN ROW EXCLUSIVE MODE;
  IF NOT job_succeed(its_id, its_worker, its_cost, its_retention, artifacts, types, content_types,
                     blob_keys, sizes, widths, heights, durations) THEN
    RETURN false;
  END IF;
  SELECT j.day, j.request_id INTO its_day, its_request FROM media_job j WHERE j.id = its_id;
  UPDATE request_log r SET priced = its_priced
   WHERE r.day = its_day AND r.request_id = its_request AND its_cost > 0;
  RETURN true;
END $$;
