-- expand
-- Webhooks: the events to deliver and the attempts that were made.

-- The host that a URL names, without the port: a host that is down is down at all of them.
CREATE FUNCTION webhook_host(url text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN coalesce(rtrim(lower(substring(url FROM '://(\[[^]]*\]|[^/?#:]*)')), '.'), '')
         COLLATE "C";

-- An event to deliver to a job's URL. The row is made in the transaction that ends the job. lease:
-- how often the event was claimed, which numbers its present or last lease. resent: leases up to
-- this one are from before the event was sent again, and their outcomes do not count since.
CREATE TABLE webhook_event (
  id              uuid        PRIMARY KEY,
  org_id          uuid        NOT NULL,
  job_id          uuid        NOT NULL UNIQUE REFERENCES media_job (id),
  event           text        NOT NULL CHECK (event IN ('job.completed', 'job.failed')),
  url             text        NOT NULL,
  request_id      text        NOT NULL,
  created_at      timestamptz NOT NULL,
  state           text        NOT NULL DEFAULT 'pending'
                              CHECK (state IN ('pending', 'delivered', 'failed', 'gone')),
  attempts        integer     NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL,
  leased_by       text,
  lease_until     timestamptz,
  last_status     integer,
  last_error      text,
  lease           integer     NOT NULL DEFAULT 0,
  resent          integer     NOT NULL DEFAULT 0
) WITH (fillfactor = 70);

CREATE INDEX webhook_event_by_org ON webhook_event (org_id, created_at);

-- Each receiver's pending events; a receiver is an organization and a host.
CREATE INDEX webhook_event_by_receiver
  ON webhook_event (org_id, webhook_host(url), next_attempt_at) WHERE state = 'pending';

-- Leases. The condition is one that only the query for leases states, so that no other uses it.
CREATE INDEX webhook_event_leased ON webhook_event (lease_until) WHERE lease_until IS NOT NULL;

-- Attempts to deliver. They have no references, because they are kept for longer than jobs. lease:
-- an attempt is recorded once under each lease, however often it is booked.
CREATE TABLE webhook_delivery (
  id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id    uuid        NOT NULL,
  org_id      uuid        NOT NULL,
  job_id      uuid        NOT NULL,
  attempt     integer     NOT NULL CHECK (attempt > 0),
  at          timestamptz NOT NULL,
  took_millis bigint      NOT NULL CHECK (took_millis >= 0),
  outcome     text        NOT NULL,
  status      integer,
  lease       integer
);

CREATE INDEX webhook_delivery_by_event ON webhook_delivery (event_id, id);

CREATE INDEX webhook_delivery_by_time ON webhook_delivery (at);

CREATE UNIQUE INDEX webhook_delivery_once ON webhook_delivery (event_id, lease);

-- Receivers whose last attempt was slow.
CREATE TABLE webhook_slow (
  org_id  uuid        NOT NULL,
  host    text        COLLATE "C" NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, host)
);

CREATE INDEX webhook_slow_by_time ON webhook_slow (seen_at);
