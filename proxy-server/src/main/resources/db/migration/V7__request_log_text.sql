-- A row of the request log is kept as it was written: sorting its members and reading its numbers
-- took a third of the time in which the books take a charge.
ALTER TABLE request_log ALTER COLUMN row TYPE json USING row::text::json;
