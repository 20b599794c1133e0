-- expand
-- The log of requests.

-- One row for each request that was logged, never a body; one partition for each day. row: a JSON
-- object, kept as the text that was written. Checking and sorting it took a third of the time of a
-- settlement.
CREATE TABLE request_log (
  day        date        NOT NULL,
  request_id text        COLLATE "C" NOT NULL,
  org_id     uuid        NOT NULL,
  key_id     text        NOT NULL,
  row        text        NOT NULL,
  at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (day, request_id)
) PARTITION BY RANGE (day);

-- Finds rows that were written lately. Rows lie in the order of their time, so a summary of each
-- range of pages is enough and costs a settlement next to nothing.
CREATE INDEX request_log_by_time ON request_log
  USING brin (at) WITH (pages_per_range = 16, autosummarize = on);
