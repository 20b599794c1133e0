-- expand
-- LIKE did not take over the fillfactor of usage_slot. It holds for pages that are written from now on.
ALTER TABLE usage_hour SET (fillfactor = 70);
