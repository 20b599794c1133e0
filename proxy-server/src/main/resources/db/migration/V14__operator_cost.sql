-- expand
-- What a request cost the operator, where its provider reported more than the charge.

-- null: not more than the charge, or not reported. It is no part of the sums of the ledger.
ALTER TABLE request_log ADD COLUMN operator_cost_micro bigint;

-- Rows come with their charges, from journals that older versions wrote, and singly: all of them
-- hold the cost as a member. A name that ends with a quote cannot be within a text of JSON.
CREATE FUNCTION request_log_operator_cost() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  NEW.operator_cost_micro :=
    substring(NEW.row FROM '"operator_cost_micro":([0-9]{1,15})')::bigint;
  RETURN NEW;
END $$;

CREATE TRIGGER request_log_operator_cost BEFORE INSERT ON request_log
  FOR EACH ROW WHEN (strpos(NEW.row, '"operator_cost_micro":') > 0)
  EXECUTE FUNCTION request_log_operator_cost();
