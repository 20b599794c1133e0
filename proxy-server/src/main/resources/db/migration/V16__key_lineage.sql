-- expand
-- A rotated key continues the budget windows of the key that it replaced
-- (docs/decisions/money.md#windows).

-- lineage: the first of the keys that replaced one another up to this one, whose id stands in the
-- ids of their windows; null: the key replaced none.
ALTER TABLE api_key ADD COLUMN lineage text REFERENCES api_key (id) CHECK (lineage <> id);

-- The four scopes of a payer. It has no SET clause, so that it is inlined.
CREATE OR REPLACE FUNCTION ledger_scopes(its_org uuid, its_key text, its_day date)
RETURNS TABLE (kind integer, scope_id text, key_id text) LANGUAGE sql STABLE AS $$
  SELECT s.kind, s.scope_id, s.key_id
    FROM (VALUES (its_key)) AS p (id)
    LEFT JOIN api_key k ON k.id = p.id
   CROSS JOIN LATERAL (
     VALUES (1, 'org:' || its_org, NULL),
            (2, 'orgm:' || its_org || ':' || to_char(its_day, 'YYYY-MM'), NULL),
            (4, 'keyd:' || coalesce(k.lineage, p.id) || ':' || to_char(its_day, 'YYYY-MM-DD'),
             coalesce(k.lineage, p.id)),
            (8, 'keym:' || coalesce(k.lineage, p.id) || ':' || to_char(its_day, 'YYYY-MM'),
             coalesce(k.lineage, p.id))) AS s (kind, scope_id, key_id)
$$;

-- Copies the budgets of a key to the first key of its lineage: nodes ask for money of a window under
-- the budget of that key, and its triggers recall what they hold idle under a budget that was
-- lowered.
CREATE FUNCTION api_key_budgets_of_lineage() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE api_key
     SET daily_budget_micro = NEW.daily_budget_micro,
         monthly_budget_micro = NEW.monthly_budget_micro
   WHERE id = NEW.lineage;
  RETURN NULL;
END $$;

CREATE TRIGGER api_key_budgets_of_lineage AFTER UPDATE ON api_key FOR EACH ROW
  WHEN (NEW.lineage IS NOT NULL
        AND (OLD.daily_budget_micro, OLD.monthly_budget_micro)
            IS DISTINCT FROM (NEW.daily_budget_micro, NEW.monthly_budget_micro))
  EXECUTE FUNCTION api_key_budgets_of_lineage();
