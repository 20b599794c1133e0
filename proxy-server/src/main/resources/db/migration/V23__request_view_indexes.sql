-- expand
-- Indexes that those of the scans replace. A model's rows are found by the organization's: those of
-- one that is used rarely take a few pages.
DROP INDEX request_view_by_org;
DROP INDEX request_view_by_model;
DROP INDEX request_view_failures;
