-- expand
-- The counts of the hourly sums, without the latencies, which take most of each row. The projection
-- waits while it is made.
CREATE INDEX usage_hour_counts ON usage_hour (org_id, slot)
  INCLUDE (key_id, model, provider, endpoint, outcome, code, requests, cost_micro);
