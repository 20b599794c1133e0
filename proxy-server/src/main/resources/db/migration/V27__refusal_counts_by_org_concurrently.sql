-- expand
-- The counts of one organization in a time. The numbers stay out of it: they change all the time.
DROP INDEX CONCURRENTLY IF EXISTS refusal_count_by_org;
CREATE INDEX CONCURRENTLY refusal_count_by_org ON refusal_count (org_id, minute);
