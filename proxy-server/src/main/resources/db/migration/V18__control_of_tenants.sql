-- expand
-- What the control plane stores of organizations, keys and credits.

-- created_by: user:, token: or cli: and who of these; cli alone: made before this column. note: of
-- people, for people.
ALTER TABLE api_key
  ADD COLUMN created_by text    NOT NULL DEFAULT 'cli' CHECK (created_by <> ''),
  ADD COLUMN note       text,
  ADD COLUMN version    integer NOT NULL DEFAULT 1;

-- When each key was used last. It is apart, because an update of api_key tells every node.
CREATE TABLE key_last_used (
  key_id text        COLLATE "C" PRIMARY KEY,
  at     timestamptz NOT NULL
);

-- closed_at: when the organization was closed; only an operator opens it again.
-- monthly_limit_cap_micro: the operator's highest monthly limit. max_api_keys: null: as configured.
-- developers_create, key_daily_max_micro, key_monthly_max_micro, key_days_max: what members with the
-- role developer may do with keys. alerts: percentages of the monthly limit at which its people are
-- alerted; alert_below_micro: the balance below which they are. webhook_secret_at: when the webhook
-- secret was made; null: with the organization, or before this column.
ALTER TABLE organization
  ADD COLUMN display_name            text CHECK (display_name <> ''),
  ADD COLUMN closed_at               timestamptz CHECK (closed_at IS NULL OR state = 'suspended'),
  ADD COLUMN monthly_limit_cap_micro bigint
    CHECK (monthly_limit_cap_micro >= 0 AND (monthly_limit_micro IS NULL
                                             OR monthly_limit_micro <= monthly_limit_cap_micro)),
  ADD COLUMN max_api_keys            integer CHECK (max_api_keys >= 0),
  ADD COLUMN developers_create       boolean    NOT NULL DEFAULT true,
  ADD COLUMN key_daily_max_micro     bigint CHECK (key_daily_max_micro >= 0),
  ADD COLUMN key_monthly_max_micro   bigint CHECK (key_monthly_max_micro >= 0),
  ADD COLUMN key_days_max            integer CHECK (key_days_max > 0),
  ADD COLUMN alerts                  smallint[] NOT NULL DEFAULT '{80,100}',
  ADD COLUMN alert_below_micro       bigint CHECK (alert_below_micro >= 0),
  ADD COLUMN webhook_secret_at       timestamptz,
  ADD COLUMN version                 integer    NOT NULL DEFAULT 1;

CREATE TRIGGER api_key_version BEFORE UPDATE ON api_key
  FOR EACH ROW EXECUTE FUNCTION raise_version();

CREATE TRIGGER organization_version BEFORE UPDATE ON organization
  FOR EACH ROW EXECUTE FUNCTION raise_version();

-- reason: why the entry was made, in the words of actor. actor_id: as in the audit log.
ALTER TABLE ledger_entry
  ADD COLUMN reason   text,
  ADD COLUMN actor_id text;

-- A closed organization may be without members who are active.
CREATE OR REPLACE FUNCTION require_owner(its_org uuid) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  is_closed boolean;
BEGIN
  SELECT closed_at IS NOT NULL INTO is_closed
    FROM organization WHERE id = its_org FOR NO KEY UPDATE;
  IF NOT is_closed
     AND EXISTS (SELECT 1 FROM membership WHERE org_id = its_org)
     AND NOT EXISTS (SELECT 1 FROM membership m JOIN user_account u ON u.id = m.user_id
                      WHERE m.org_id = its_org AND m.role = 'owner' AND u.state = 'active') THEN
    RAISE EXCEPTION 'organization % would have no active owner', its_org
      USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'last_owner';
  END IF;
END $$;
