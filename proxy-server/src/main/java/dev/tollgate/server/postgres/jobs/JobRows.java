package dev.tollgate.server.postgres.jobs;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobArtifact;
import dev.tollgate.core.job.JobArtifact.Frame;
import dev.tollgate.core.job.JobFailure;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.session.SqlArrays;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * DAO of media jobs for workers, each step one statement of {@code V10__job_submission} or {@code
 * V11__job_turns}. A method that returns {@code false} changed nothing: the worker has lost the
 * job, or the job has ended. Calls block.
 */
public final class JobRows {
  private static final String CLAIM_ARGUMENTS = "(?, ?";

  private final DataSource pool;

  public JobRows(DataSource pool) {
    this.pool = pool;
  }

  /**
   * Row of a media job that a worker claimed.
   *
   * @param worker the unique name of this claim
   * @param providerJob the provider's name of the job
   * @param intent time since the last moment at which the job may have been sent; empty if never
   *     sent
   * @param cancelAsked true if the owner requested to cancel the job
   * @param expired true if the job's time has ended
   * @param attempts inconclusive polls in a row
   * @param doubt evidence that the job is lost; null if there is none
   * @param doubts polls in a row that raised this doubt
   * @param images the uploaded images, by their names in the gateway's storage, until a provider
   *     has the job
   */
  public record ClaimedJobRow(
      Job job,
      String worker,
      Optional<String> providerJob,
      Optional<Duration> intent,
      boolean cancelAsked,
      boolean expired,
      int attempts,
      @Nullable String doubt,
      int doubts,
      List<String> images) {
    public ClaimedJobRow {
      images = List.copyOf(images);
    }

    public JobId id() {
      return job.id();
    }
  }

  /** State of a claimed job after the renewal of its lease. */
  public record HeartbeatResult(JobId job, boolean cancelAsked, boolean expired) {}

  /** Artifact of a job whose blob is due for deletion. */
  public record DueArtifact(UUID artifact, String blob) {}

  /**
   * Parameters of a claim of due jobs, which share the node's workers fairly among organizations
   * and providers.
   *
   * @param jobsMax jobs to claim
   * @param lastOrg the organization of the last turn
   * @param lastProvider the provider of the last turn
   * @param inWork jobs in work on the node, by provider
   * @param share the most jobs of one provider while other providers have due jobs
   * @param closed providers that accept no new jobs
   */
  public record ClaimRequest(
      int jobsMax,
      OrgId lastOrg,
      String lastProvider,
      Map<String, Integer> inWork,
      int share,
      Set<String> closed) {}

  /** Claims due jobs under a lease, taking turns among organizations and providers. */
  public List<ClaimedJobRow> claim(String node, Duration lease, ClaimRequest request)
      throws SQLException {
    String worker = node + "/" + UUID.randomUUID();
    List<Map.Entry<String, Integer>> inWork = List.copyOf(request.inWork().entrySet());
    return query(
        "SELECT j.*, j.expires_at <= ledger_now() AS is_expired,"
            + " extract(epoch FROM ledger_now() - j.intent_at)::float8 AS intended_for,"
            + " ARRAY(SELECT i.blob_key FROM media_image i"
            + " WHERE i.job_id = j.id AND j.status = 'queued' ORDER BY i.n) AS images"
            + " FROM job_claim(?, make_interval(secs => ?), ?, ?, ?, ?, ?, ?, ?) j",
        claim -> {
          Connection connection = claim.getConnection();
          claim.setString(1, worker);
          claim.setDouble(2, seconds(lease));
          claim.setInt(3, request.jobsMax());
          claim.setObject(4, request.lastOrg().value());
          claim.setString(5, request.lastProvider());
          claim.setArray(6, SqlArrays.of(connection, "text", inWork, Map.Entry::getKey));
          claim.setArray(
              7, SqlArrays.of(connection, "int4", inWork, each -> each.getValue().toString()));
          claim.setInt(8, request.share());
          claim.setArray(
              9, SqlArrays.of(connection, "text", List.copyOf(request.closed()), each -> each));
        },
        row -> claimed(row, worker));
  }

  private static ClaimedJobRow claimed(ResultSet row, String worker) throws SQLException {
    return new ClaimedJobRow(
        JobRowMapper.of(row, List.of()),
        worker,
        Optional.ofNullable(row.getString("provider_job")),
        Optional.ofNullable(row.getObject("intended_for", Double.class))
            .map(seconds -> Duration.ofMillis(Math.max(0, Math.round(1e3 * seconds)))),
        row.getBoolean("cancel_asked"),
        row.getBoolean("is_expired"),
        row.getInt("tries"),
        row.getString("doubt"),
        row.getInt("doubts"),
        List.of((String[]) row.getArray("images").getArray()));
  }

  /** Renews the leases of these jobs; a job that is missing in the result has been lost. */
  public List<HeartbeatResult> heartbeat(List<ClaimedJobRow> claimed, Duration lease)
      throws SQLException {
    return query(
        "SELECT * FROM job_heartbeat(?, ?, make_interval(secs => ?))",
        renewal -> {
          Connection connection = renewal.getConnection();
          renewal.setArray(1, SqlArrays.of(connection, "text", claimed, ClaimedJobRow::worker));
          renewal.setArray(
              2, SqlArrays.of(connection, "uuid", claimed, each -> each.id().toString()));
          renewal.setDouble(3, seconds(lease));
        },
        row ->
            new HeartbeatResult(
                new JobId(row.getObject("job_id", UUID.class)),
                row.getBoolean("cancel_asked"),
                row.getBoolean("is_expired")));
  }

  /**
   * Records that the job is about to be sent, unless its provider has {@code openMax} jobs: {@code
   * noted, full, lost}.
   */
  public String intend(ClaimedJobRow claimed, int openMax) throws SQLException {
    return query(
            "SELECT job_intend(?, ?, ?)",
            step -> {
              step.setObject(1, claimed.id().value());
              step.setString(2, claimed.worker());
              step.setInt(3, openMax);
            },
            row -> row.getString(1))
        .getFirst();
  }

  /** Records that the provider accepted the job; ends the claim. */
  public boolean submitted(ClaimedJobRow claimed, String providerJob, Duration nextPoll)
      throws SQLException {
    return step(
        "job_submitted" + CLAIM_ARGUMENTS + ", ?, make_interval(secs => ?))",
        claimed,
        step -> {
          step.setString(3, providerJob);
          step.setDouble(4, seconds(nextPoll));
        });
  }

  /** Records that the provider makes the output; ends the claim. */
  public boolean running(ClaimedJobRow claimed, @Nullable Integer progress, Duration nextPoll)
      throws SQLException {
    return step(
        "job_running" + CLAIM_ARGUMENTS + ", ?::integer, make_interval(secs => ?))",
        claimed,
        step -> {
          step.setObject(3, progress);
          step.setDouble(4, seconds(nextPoll));
        });
  }

  /** Records that the provider has not begun; ends the claim. */
  public boolean waiting(ClaimedJobRow claimed, Duration nextPoll) throws SQLException {
    return step(
        "job_waiting" + CLAIM_ARGUMENTS + ", make_interval(secs => ?))",
        claimed,
        step -> step.setDouble(3, seconds(nextPoll)));
  }

  /** Ends the claim of an unchanged job. */
  public boolean release(ClaimedJobRow claimed) throws SQLException {
    return step("job_given_back" + CLAIM_ARGUMENTS + ")", claimed, _ -> {});
  }

  /**
   * Records an inconclusive poll; ends the claim.
   *
   * @param doubt evidence that the job is lost; null if there is none
   */
  public boolean inconclusive(ClaimedJobRow claimed, @Nullable String doubt, Duration nextPoll)
      throws SQLException {
    return step(
        "job_in_vain" + CLAIM_ARGUMENTS + ", ?, ?, make_interval(secs => ?))",
        claimed,
        step -> {
          step.setString(3, doubt);
          step.setBoolean(4, claimed.cancelAsked());
          step.setDouble(5, seconds(nextPoll));
        });
  }

  /** Records that the provider does not cancel the job; ends the claim. */
  public boolean cancelRefused(ClaimedJobRow claimed, Duration nextPoll) throws SQLException {
    return step(
        "job_cancel_refused" + CLAIM_ARGUMENTS + ", make_interval(secs => ?))",
        claimed,
        step -> step.setDouble(3, seconds(nextPoll)));
  }

  /**
   * Records that the output is in the gateway's storage, for the given retention.
   *
   * @param operatorCost what the operator pays, for the request log
   * @param priced what the cost was computed from, for the request log
   */
  public boolean succeed(
      ClaimedJobRow claimed,
      MicroUsd cost,
      MicroUsd operatorCost,
      String priced,
      Duration retention,
      List<JobArtifact> artifacts)
      throws SQLException {
    return step(
        "job_succeed_at_cost"
            + CLAIM_ARGUMENTS
            + ", ?, ?, ?, make_interval(secs => ?), ?, ?, ?, ?, ?, ?, ?, ?)",
        claimed,
        step -> {
          step.setLong(3, cost.value());
          step.setLong(4, operatorCost.value());
          step.setString(5, priced);
          step.setDouble(6, seconds(retention));
          bind(step, artifacts);
        });
  }

  private static void bind(PreparedStatement step, List<JobArtifact> all) throws SQLException {
    Connection connection = step.getConnection();
    step.setArray(7, SqlArrays.of(connection, "uuid", all, each -> each.id().toString()));
    step.setArray(8, SqlArrays.of(connection, "text", all, each -> each.type().wire()));
    step.setArray(9, SqlArrays.of(connection, "text", all, JobArtifact::contentType));
    step.setArray(10, SqlArrays.of(connection, "text", all, each -> each.blob().toString()));
    step.setArray(11, SqlArrays.longs(connection, all, JobArtifact::sizeBytes));
    step.setArray(12, SqlArrays.of(connection, "int4", all, each -> pixels(each, Frame::width)));
    step.setArray(13, SqlArrays.of(connection, "int4", all, each -> pixels(each, Frame::height)));
    step.setArray(
        14,
        SqlArrays.of(connection, "float8", all, each -> Double.toString(each.durationSeconds())));
  }

  private interface Dimension {
    int of(Frame frame);
  }

  private static @Nullable String pixels(JobArtifact artifact, Dimension side) {
    return artifact.frame().map(frame -> Integer.toString(side.of(frame))).orElse(null);
  }

  /** Records that the job has failed for good. */
  public boolean fail(ClaimedJobRow claimed, JobFailure failure) throws SQLException {
    return step(
        "job_fail" + CLAIM_ARGUMENTS + ", ?, ?)",
        claimed,
        step -> {
          step.setString(3, failure.code());
          step.setString(4, failure.message().replace('\0', '\uFFFD'));
        });
  }

  /** Records that the job expired; also false if it has time left. */
  public boolean expire(ClaimedJobRow claimed) throws SQLException {
    return step("job_expire" + CLAIM_ARGUMENTS + ")", claimed, _ -> {});
  }

  /** Records that the provider canceled the job, or never had it. */
  public boolean canceled(ClaimedJobRow claimed) throws SQLException {
    return step("job_canceled" + CLAIM_ARGUMENTS + ")", claimed, _ -> {});
  }

  /** Returns a job of any organization, also for webhooks. */
  public Optional<Job> find(JobId id) throws SQLException {
    return new JobViews(pool).find(null, id);
  }

  /** Returns a job of an organization. */
  public Optional<Job> find(OrgId org, JobId id) throws SQLException {
    return new JobViews(pool).find(org, id);
  }

  // Expiry

  /**
   * Takes artifacts that are due for deletion, of a bounded number of jobs. No other node gets them
   * for a while, which grows each time; an artifact not forgotten by then is due again.
   */
  public List<DueArtifact> takeArtifactsDue(int jobsMax) throws SQLException {
    return query(
        "SELECT * FROM job_artifacts_take(?)",
        due -> due.setInt(1, jobsMax),
        row -> new DueArtifact(row.getObject(1, UUID.class), row.getString(2)));
  }

  /** Deletes the rows of artifacts whose blobs were deleted. */
  public void forget(List<DueArtifact> deleted) throws SQLException {
    var _ =
        query(
            "SELECT job_artifacts_forget(?)",
            forget ->
                forget.setArray(
                    1,
                    SqlArrays.of(
                        forget.getConnection(),
                        "uuid",
                        deleted,
                        each -> each.artifact().toString())),
            _ -> true);
  }

  /** Deletes jobs that ended before the retention, or were removed; returns their number. */
  public int tidy(Duration kept, int jobsMax) throws SQLException {
    return query(
            "SELECT job_tidy(make_interval(secs => ?), ?)",
            tidy -> {
              tidy.setDouble(1, seconds(kept));
              tidy.setInt(2, jobsMax);
            },
            row -> row.getInt(1))
        .getFirst();
  }

  // Statements

  private interface Binding {
    void bind(PreparedStatement statement) throws SQLException;
  }

  private interface Reading<T> {
    T read(ResultSet row) throws SQLException;
  }

  private boolean step(String call, ClaimedJobRow claimed, Binding rest) throws SQLException {
    return query(
            "SELECT " + call,
            step -> {
              step.setObject(1, claimed.id().value());
              step.setString(2, claimed.worker());
              rest.bind(step);
            },
            row -> row.getBoolean(1))
        .getFirst();
  }

  private <T> List<T> query(String sql, Binding binding, Reading<T> reading) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      binding.bind(statement);
      List<T> all = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          all.add(reading.read(row));
        }
      }
      return all;
    }
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1e3;
  }
}
