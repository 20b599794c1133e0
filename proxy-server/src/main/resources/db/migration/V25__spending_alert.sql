-- expand
-- Alerts of spending that were sent to people of an organization, so that each is sent once. month:
-- the first day of the month that it is about; percent: of the monthly limit; 0: the balance was
-- below organization.alert_below_micro, in no month: the row goes when the balance has risen.
CREATE TABLE spending_alert (
  org_id  uuid        NOT NULL REFERENCES organization (id),
  month   date        NOT NULL,
  percent smallint    NOT NULL CHECK (percent BETWEEN 0 AND 100),
  at      timestamptz NOT NULL DEFAULT ledger_now(),
  PRIMARY KEY (org_id, month, percent)
);
