-- expand
-- Media jobs: videos and music, which take longer than a request; what was submitted, the state of
-- the work, and the files that belong to it.

-- day: the day of request_id. provider_job: the provider's id of the job. intent_at: since when the
-- provider may have the job. next_look_at: when a worker may claim the job; while a worker has it,
-- the end of its lease. tries: how many attempts in a row brought nothing new. retain_until: until
-- when its artifacts are kept; null: it has none. files_again_at: when they are due again after a
-- node took them to delete them; files_tries: how often that was. removed_at: when its owner
-- removed it; from then on it is kept for the replay of its submission only. doubt: what speaks
-- against a job that is not given up yet: its provider does not know it, a file of it is missing,
-- the storage does not take one; doubts: how often that was so since anything else was learned.
-- part: not read by this version.
CREATE TABLE media_job (
  id                   uuid        PRIMARY KEY,
  org_id               uuid        NOT NULL,
  key_id               text        NOT NULL,
  request_id           text        COLLATE "C" NOT NULL UNIQUE CHECK (length(request_id) = 30),
  day                  date        NOT NULL,
  kind                 text        NOT NULL CHECK (kind IN ('video', 'music')),
  model                text        NOT NULL,
  provider             text        NOT NULL,
  status               text        NOT NULL DEFAULT 'queued'
                                   CHECK (status IN ('queued', 'submitted', 'running', 'succeeded',
                                                     'failed', 'canceled', 'expired')),
  progress             integer     CHECK (progress BETWEEN 0 AND 100),
  estimated_cost_micro bigint      NOT NULL CHECK (estimated_cost_micro >= 0),
  max_cost_micro       bigint      NOT NULL CHECK (max_cost_micro >= estimated_cost_micro),
  cost_micro           bigint      NOT NULL DEFAULT 0 CHECK (cost_micro >= 0),
  error_code           text,
  error_message        text,
  params               text        NOT NULL,
  webhook_url          text,
  metadata             text        NOT NULL,
  created_at           timestamptz NOT NULL,
  started_at           timestamptz,
  completed_at         timestamptz,
  expires_at           timestamptz NOT NULL,
  provider_job         text,
  intent_at            timestamptz,
  worker               text,
  lease_until          timestamptz,
  next_look_at         timestamptz NOT NULL,
  tries                integer     NOT NULL DEFAULT 0,
  cancel_asked         boolean     NOT NULL DEFAULT false,
  retain_until         timestamptz,
  removed_at           timestamptz,
  part                 smallint    GENERATED ALWAYS AS (
                         CASE WHEN status = 'queued' AND NOT cancel_asked THEN 2 ELSE 1 END) STORED,
  files_again_at       timestamptz,
  files_tries          integer     NOT NULL DEFAULT 0,
  doubt                text        CHECK (doubt IN ('absent', 'file', 'storage')),
  doubts               integer     NOT NULL DEFAULT 0,
  CHECK ((completed_at IS NULL) = (status IN ('queued', 'submitted', 'running'))),
  CHECK ((error_code IS NOT NULL) = (status = 'failed')),
  CHECK ((worker IS NULL) = (lease_until IS NULL)),
  CHECK (completed_at IS NULL OR worker IS NULL),
  CHECK (removed_at IS NULL OR completed_at IS NOT NULL)
) WITH (fillfactor = 70);

-- There is one index for each query, whatever the statistics say. An index of open rows is empty
-- while none is open; if rows are counted then, a scan of all of it seems to be free until they are
-- counted again, and any query for open rows would use it. So each such index has a condition that
-- only the query states for which it is made.

-- Whose turn it is: the jobs that are not over, of each organization at each provider. 1: a
-- provider may have the job; 2: none can have it. No job's next_look_at is infinite: only job_claim
-- states that.
CREATE INDEX media_job_turn ON media_job
  (org_id, provider, (CASE WHEN intent_at IS NULL THEN 2 ELSE 1 END), next_look_at)
  WHERE completed_at IS NULL AND next_look_at < 'infinity';

CREATE INDEX media_job_at_provider ON media_job (provider)
  WHERE completed_at IS NULL AND intent_at IS NOT NULL;

-- The days of jobs that are not over, whose settlements are still to come.
CREATE INDEX media_job_owed ON media_job ((CASE WHEN completed_at IS NULL THEN day END))
  WHERE CASE WHEN completed_at IS NULL THEN day END IS NOT NULL;

CREATE INDEX media_job_by_org ON media_job (org_id, created_at DESC, id);

CREATE INDEX media_job_by_completion ON media_job (completed_at) WHERE completed_at IS NOT NULL;

CREATE INDEX media_job_removed ON media_job (removed_at) WHERE removed_at IS NOT NULL;

CREATE INDEX media_job_files_due ON media_job (greatest(retain_until, files_again_at))
  WHERE retain_until IS NOT NULL;

-- The files that a job made.
CREATE TABLE media_artifact (
  id               uuid             PRIMARY KEY,
  job_id           uuid             NOT NULL REFERENCES media_job (id),
  type             text             NOT NULL CHECK (type IN ('video', 'audio')),
  content_type     text             NOT NULL,
  blob_key         text             NOT NULL,
  size_bytes       bigint           NOT NULL CHECK (size_bytes >= 0),
  width            integer,
  height           integer,
  duration_seconds double precision NOT NULL CHECK (duration_seconds >= 0),
  created_at       timestamptz      NOT NULL
);

CREATE INDEX media_artifact_by_job ON media_artifact (job_id);

-- Images that came with a job's submission. n: their order, from 1. due_at: when the image's bytes
-- are to be deleted; null: the job is not over. A row outlives its job while its bytes cannot be
-- deleted.
CREATE TABLE media_image (
  id       uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  job_id   uuid        NOT NULL,
  n        integer     NOT NULL,
  blob_key text        NOT NULL,
  due_at   timestamptz,
  tries    integer     NOT NULL DEFAULT 0,
  UNIQUE (job_id, n)
);

CREATE INDEX media_image_due ON media_image (due_at) WHERE due_at IS NOT NULL;

-- Makes a job's images due to be deleted when it ends, in whichever way.
CREATE FUNCTION media_job_images_over() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
BEGIN
  UPDATE media_image i SET due_at = ledger_now() WHERE i.job_id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER media_job_over AFTER UPDATE OF completed_at ON media_job FOR EACH ROW
  WHEN (OLD.completed_at IS NULL AND NEW.completed_at IS NOT NULL)
  EXECUTE FUNCTION media_job_images_over();
