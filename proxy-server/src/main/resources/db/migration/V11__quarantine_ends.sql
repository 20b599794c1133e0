-- How charges left quarantine: booked after all, or dropped, by whom. Each is kept whole.
CREATE TABLE quarantine_decision (
  id                bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_id        text        NOT NULL,
  decision          text        NOT NULL CHECK (decision IN ('booked', 'dropped')),
  actor             text        NOT NULL,
  at                timestamptz NOT NULL DEFAULT now(),
  org_id            text        NOT NULL,
  key_id            text        NOT NULL,
  holder            text        NOT NULL,
  held              integer     NOT NULL,
  reserved_micro    bigint      NOT NULL,
  cost_micro        bigint      NOT NULL,
  prompt_tokens     bigint      NOT NULL,
  completion_tokens bigint      NOT NULL,
  cached_tokens     bigint      NOT NULL,
  reasoning_tokens  bigint      NOT NULL,
  estimated         boolean     NOT NULL,
  how               text        NOT NULL,
  row               bytea       NOT NULL,
  reason            text        NOT NULL,
  aside_since       timestamptz NOT NULL
);

CREATE INDEX quarantine_decision_by_request ON quarantine_decision (request_id);

CREATE TRIGGER quarantine_decision_is_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON quarantine_decision
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
