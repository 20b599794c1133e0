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
 * Jobs as workers see them in PostgreSQL, each step one statement of {@code V10__job_submission} or
 * {@code V11__job_turns}. What answers {@code false} changed nothing: the job is not this worker's
 * any more, or over. Blocks.
 */
public final class JobRows {
  private static final String CLAIM_ARGUMENTS = "(?, ?";

  private final DataSource pool;

  public JobRows(DataSource pool) {
    this.pool = pool;
  }

  /**
   * A job in a worker's hands.
   *
   * @param worker the name of this turn with it: no other has the same
   * @param providerJob what its provider calls it
   * @param intent how long ago its provider may have heard of it last; empty: it cannot have
   * @param cancelAsked whether its owner does not want it any more
   * @param expired whether its time is over
   * @param attempts how often in a row nothing was learned of it
   * @param doubt what speaks against it; null: nothing does
   * @param doubts how often that was so since anything else was learned
   * @param images that came with it, by their names in our storage, for as long as no provider has
   *     it
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

  /** What a worker should know of a job that is still its own. */
  public record HeartbeatResult(JobId job, boolean cancelAsked, boolean expired) {}

  /** An artifact whose bytes are due to be deleted. */
  public record DueArtifact(UUID artifact, String blob) {}

  /**
   * Whose turn it is.
   *
   * @param jobsMax jobs to take up
   * @param lastOrg who had the last turn
   * @param lastProvider at which provider
   * @param inWork jobs that the node works at, by their provider
   * @param share of a provider in them, while there are jobs of others
   * @param closed providers that take nothing new
   */
  public record ClaimRequest(
      int jobsMax,
      OrgId lastOrg,
      String lastProvider,
      Map<String, Integer> inWork,
      int share,
      Set<String> closed) {}

  /** Takes up jobs that are due until the lease ends, in the order of their turns. */
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

  /**
   * A sign of life for these; of those that are missing in the answer somebody else has the job.
   */
  public List<HeartbeatResult> heartbeat(List<ClaimedJobRow> claimed, Duration lease)
      throws SQLException {
    return query(
        "SELECT * FROM job_heartbeat(?, ?, make_interval(secs => ?))",
        beat -> {
          Connection connection = beat.getConnection();
          beat.setArray(1, SqlArrays.of(connection, "text", claimed, ClaimedJobRow::worker));
          beat.setArray(2, SqlArrays.of(connection, "uuid", claimed, each -> each.id().toString()));
          beat.setDouble(3, seconds(lease));
        },
        row ->
            new HeartbeatResult(
                new JobId(row.getObject("job_id", UUID.class)),
                row.getBoolean("cancel_asked"),
                row.getBoolean("is_expired")));
  }

  /** The provider is about to hear of it, unless it has so many: {@code noted, full, lost}. */
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

  /** The provider has it. The worker gives it back. */
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

  /** The provider makes it. The worker gives it back. */
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

  /** The provider has not begun. The worker gives it back. */
  public boolean waiting(ClaimedJobRow claimed, Duration nextPoll) throws SQLException {
    return step(
        "job_waiting" + CLAIM_ARGUMENTS + ", make_interval(secs => ?))",
        claimed,
        step -> step.setDouble(3, seconds(nextPoll)));
  }

  /** Nobody looked at it. The worker gives it back. */
  public boolean release(ClaimedJobRow claimed) throws SQLException {
    return step("job_given_back" + CLAIM_ARGUMENTS + ")", claimed, _ -> {});
  }

  /**
   * Nothing was learned of it. The worker gives it back.
   *
   * @param doubt what speaks against it; null: nothing more than before
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

  /** The provider does not give it up. The worker gives it back. */
  public boolean cancelRefused(ClaimedJobRow claimed, Duration nextPoll) throws SQLException {
    return step(
        "job_cancel_refused" + CLAIM_ARGUMENTS + ", make_interval(secs => ?))",
        claimed,
        step -> step.setDouble(3, seconds(nextPoll)));
  }

  /** It was made, and lies in our storage, to be kept for so long. */
  public boolean succeed(
      ClaimedJobRow claimed, MicroUsd cost, Duration retention, List<JobArtifact> artifacts)
      throws SQLException {
    return step(
        "job_succeed" + CLAIM_ARGUMENTS + ", ?, make_interval(secs => ?), ?, ?, ?, ?, ?, ?, ?, ?)",
        claimed,
        step -> {
          step.setLong(3, cost.value());
          step.setDouble(4, seconds(retention));
          bind(step, artifacts);
        });
  }

  private static void bind(PreparedStatement step, List<JobArtifact> all) throws SQLException {
    Connection connection = step.getConnection();
    step.setArray(5, SqlArrays.of(connection, "uuid", all, each -> each.id().toString()));
    step.setArray(6, SqlArrays.of(connection, "text", all, each -> each.type().wire()));
    step.setArray(7, SqlArrays.of(connection, "text", all, JobArtifact::contentType));
    step.setArray(8, SqlArrays.of(connection, "text", all, each -> each.blob().toString()));
    step.setArray(9, SqlArrays.longs(connection, all, JobArtifact::sizeBytes));
    step.setArray(10, SqlArrays.of(connection, "int4", all, each -> pixels(each, Frame::width)));
    step.setArray(11, SqlArrays.of(connection, "int4", all, each -> pixels(each, Frame::height)));
    step.setArray(
        12,
        SqlArrays.of(connection, "float8", all, each -> Double.toString(each.durationSeconds())));
  }

  private interface Dimension {
    int of(Frame frame);
  }

  private static @Nullable String pixels(JobArtifact artifact, Dimension side) {
    return artifact.frame().map(frame -> Integer.toString(side.of(frame))).orElse(null);
  }

  /** It failed, and it is certain that nothing will come of it. */
  public boolean fail(ClaimedJobRow claimed, JobFailure failure) throws SQLException {
    return step(
        "job_fail" + CLAIM_ARGUMENTS + ", ?, ?)",
        claimed,
        step -> {
          step.setString(3, failure.code());
          step.setString(4, failure.message().replace('\0', '\uFFFD'));
        });
  }

  /** Its time is over; also false where it is not. */
  public boolean expire(ClaimedJobRow claimed) throws SQLException {
    return step("job_expire" + CLAIM_ARGUMENTS + ")", claimed, _ -> {});
  }

  /** The provider has given it up, or never heard of it. */
  public boolean canceled(ClaimedJobRow claimed) throws SQLException {
    return step("job_canceled" + CLAIM_ARGUMENTS + ")", claimed, _ -> {});
  }

  /** A job whoever asks for it, also for those who are told of its end. */
  public Optional<Job> find(JobId id) throws SQLException {
    return new JobViews(pool).find(null, id);
  }

  /** A job of an organization's. */
  public Optional<Job> find(OrgId org, JobId id) throws SQLException {
    return new JobViews(pool).find(org, id);
  }

  // What was kept for long enough

  /**
   * Takes artifacts whose bytes are due to be deleted, of at most so many jobs. For a while nobody
   * else is told of them, longer with each time; what was not forgotten by then is due again.
   */
  public List<DueArtifact> takeArtifactsDue(int jobsMax) throws SQLException {
    return query(
        "SELECT * FROM job_artifacts_take(?)",
        due -> due.setInt(1, jobsMax),
        row -> new DueArtifact(row.getObject(1, UUID.class), row.getString(2)));
  }

  /** Their bytes were deleted. */
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

  /** Forgets jobs that were over for so long, or were removed; returns how many. */
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
