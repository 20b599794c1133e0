-- Who follows the request log asks for what was written lately. Rows come in the order of their
-- time, so a summary of each range of pages finds them and costs a charge next to nothing.
CREATE INDEX request_log_by_time ON request_log
  USING brin (at) WITH (pages_per_range = 16, autosummarize = on);
