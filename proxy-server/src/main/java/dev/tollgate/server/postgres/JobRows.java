package dev.tollgate.server.postgres;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobArtifact;
import dev.tollgate.core.job.JobArtifact.Frame;
import dev.tollgate.core.job.JobFailure;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.money.MicroUsd;
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
  private static final String MINE = "(?, ?";

  private final DataSource pool;

  JobRows(DataSource pool) {
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
   * @param tries how often in a row nothing was learned of it
   * @param doubt what speaks against it; null: nothing does
   * @param doubts how often that was so since anything else was learned
   * @param images that came with it, by their names in our storage, for as long as no provider has
   *     it
   */
  public record Claimed(
      Job job,
      String worker,
      Optional<String> providerJob,
      Optional<Duration> intent,
      boolean cancelAsked,
      boolean expired,
      int tries,
      @Nullable String doubt,
      int doubts,
      List<String> images) {
    public Claimed {
      images = List.copyOf(images);
    }

    public JobId id() {
      return job.id();
    }
  }

  /** What a worker should know of a job that is still its own. */
  public record Sign(JobId job, boolean cancelAsked, boolean expired) {}

  /** An artifact whose bytes are due to be deleted. */
  public record Due(UUID artifact, String blob) {}

  /**
   * Whose turn it is.
   *
   * @param most jobs to take up
   * @param lastOrg who had the last turn
   * @param lastProvider at which provider
   * @param inWork jobs that the node works at, by their provider
   * @param share of a provider in them, while there are jobs of others
   * @param closed providers that take nothing new
   */
  public record Wish(
      int most,
      OrgId lastOrg,
      String lastProvider,
      Map<String, Integer> inWork,
      int share,
      Set<String> closed) {}

  /** Takes up jobs that are due until the lease ends, in the order of their turns. */
  public List<Claimed> claim(String node, Duration lease, Wish wish) throws SQLException {
    String worker = node + "/" + UUID.randomUUID();
    List<Map.Entry<String, Integer>> inWork = List.copyOf(wish.inWork().entrySet());
    return query(
        "SELECT j.*, j.expires_at <= ledger_now() AS is_expired,"
            + " extract(epoch FROM ledger_now() - j.intent_at)::float8 AS intended_for,"
            + " ARRAY(SELECT i.blob_key FROM media_image i"
            + " WHERE i.job_id = j.id AND j.status = 'queued' ORDER BY i.n) AS images"
            + " FROM job_claim(?, make_interval(secs => ?), ?, ?, ?, ?, ?, ?, ?) j",
        claim -> {
          Connection on = claim.getConnection();
          claim.setString(1, worker);
          claim.setDouble(2, seconds(lease));
          claim.setInt(3, wish.most());
          claim.setObject(4, wish.lastOrg().value());
          claim.setString(5, wish.lastProvider());
          claim.setArray(6, SqlArrays.of(on, "text", inWork, Map.Entry::getKey));
          claim.setArray(7, SqlArrays.of(on, "int4", inWork, each -> each.getValue().toString()));
          claim.setInt(8, wish.share());
          claim.setArray(9, SqlArrays.of(on, "text", List.copyOf(wish.closed()), each -> each));
        },
        row -> claimed(row, worker));
  }

  private static Claimed claimed(ResultSet row, String worker) throws SQLException {
    return new Claimed(
        JobRow.of(row, List.of()),
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
  public List<Sign> heartbeat(List<Claimed> held, Duration lease) throws SQLException {
    return query(
        "SELECT * FROM job_heartbeat(?, ?, make_interval(secs => ?))",
        beat -> {
          Connection connection = beat.getConnection();
          beat.setArray(1, SqlArrays.of(connection, "text", held, Claimed::worker));
          beat.setArray(2, SqlArrays.of(connection, "uuid", held, each -> each.id().toString()));
          beat.setDouble(3, seconds(lease));
        },
        row ->
            new Sign(
                new JobId(row.getObject("job_id", UUID.class)),
                row.getBoolean("cancel_asked"),
                row.getBoolean("is_expired")));
  }

  /** The provider is about to hear of it, unless it has so many: {@code noted, full, lost}. */
  public String intend(Claimed held, int openMax) throws SQLException {
    return query(
            "SELECT job_intend(?, ?, ?)",
            step -> {
              step.setObject(1, held.id().value());
              step.setString(2, held.worker());
              step.setInt(3, openMax);
            },
            row -> row.getString(1))
        .getFirst();
  }

  /** The provider has it. The worker gives it back. */
  public boolean submitted(Claimed held, String providerJob, Duration nextLook)
      throws SQLException {
    return step(
        "job_submitted" + MINE + ", ?, make_interval(secs => ?))",
        held,
        step -> {
          step.setString(3, providerJob);
          step.setDouble(4, seconds(nextLook));
        });
  }

  /** The provider makes it. The worker gives it back. */
  public boolean running(Claimed held, @Nullable Integer progress, Duration nextLook)
      throws SQLException {
    return step(
        "job_running" + MINE + ", ?::integer, make_interval(secs => ?))",
        held,
        step -> {
          step.setObject(3, progress);
          step.setDouble(4, seconds(nextLook));
        });
  }

  /** The provider has not begun. The worker gives it back. */
  public boolean waiting(Claimed held, Duration nextLook) throws SQLException {
    return step(
        "job_waiting" + MINE + ", make_interval(secs => ?))",
        held,
        step -> step.setDouble(3, seconds(nextLook)));
  }

  /** Nobody looked at it. The worker gives it back. */
  public boolean giveBack(Claimed held) throws SQLException {
    return step("job_given_back" + MINE + ")", held, _ -> {});
  }

  /**
   * Nothing was learned of it. The worker gives it back.
   *
   * @param doubt what speaks against it; null: nothing more than before
   */
  public boolean inVain(Claimed held, @Nullable String doubt, Duration nextLook)
      throws SQLException {
    return step(
        "job_in_vain" + MINE + ", ?, ?, make_interval(secs => ?))",
        held,
        step -> {
          step.setString(3, doubt);
          step.setBoolean(4, held.cancelAsked());
          step.setDouble(5, seconds(nextLook));
        });
  }

  /** The provider does not give it up. The worker gives it back. */
  public boolean cancelRefused(Claimed held, Duration nextLook) throws SQLException {
    return step(
        "job_cancel_refused" + MINE + ", make_interval(secs => ?))",
        held,
        step -> step.setDouble(3, seconds(nextLook)));
  }

  /** It was made, and lies in our storage, to be kept for so long. */
  public boolean succeed(
      Claimed held, MicroUsd cost, Duration retention, List<JobArtifact> artifacts)
      throws SQLException {
    return step(
        "job_succeed" + MINE + ", ?, make_interval(secs => ?), ?, ?, ?, ?, ?, ?, ?, ?)",
        held,
        step -> {
          step.setLong(3, cost.value());
          step.setDouble(4, seconds(retention));
          bind(step, artifacts);
        });
  }

  private static void bind(PreparedStatement step, List<JobArtifact> all) throws SQLException {
    Connection on = step.getConnection();
    step.setArray(5, SqlArrays.of(on, "uuid", all, each -> each.id().toString()));
    step.setArray(6, SqlArrays.of(on, "text", all, each -> each.type().wire()));
    step.setArray(7, SqlArrays.of(on, "text", all, JobArtifact::contentType));
    step.setArray(8, SqlArrays.of(on, "text", all, each -> each.blob().toString()));
    step.setArray(9, SqlArrays.longs(on, all, JobArtifact::sizeBytes));
    step.setArray(10, SqlArrays.of(on, "int4", all, each -> pixels(each, Frame::width)));
    step.setArray(11, SqlArrays.of(on, "int4", all, each -> pixels(each, Frame::height)));
    step.setArray(
        12, SqlArrays.of(on, "float8", all, each -> Double.toString(each.durationSeconds())));
  }

  private interface Side {
    int of(Frame frame);
  }

  private static @Nullable String pixels(JobArtifact artifact, Side side) {
    return artifact.frame().map(frame -> Integer.toString(side.of(frame))).orElse(null);
  }

  /** It failed, and it is certain that nothing will come of it. */
  public boolean fail(Claimed held, JobFailure failure) throws SQLException {
    return step(
        "job_fail" + MINE + ", ?, ?)",
        held,
        step -> {
          step.setString(3, failure.code());
          step.setString(4, failure.message().replace('\0', '\uFFFD'));
        });
  }

  /** Its time is over; also false where it is not. */
  public boolean expire(Claimed held) throws SQLException {
    return step("job_expire" + MINE + ")", held, _ -> {});
  }

  /** The provider has given it up, or never heard of it. */
  public boolean canceled(Claimed held) throws SQLException {
    return step("job_canceled" + MINE + ")", held, _ -> {});
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
  public List<Due> takeArtifactsDue(int mostJobs) throws SQLException {
    return query(
        "SELECT * FROM job_artifacts_take(?)",
        due -> due.setInt(1, mostJobs),
        row -> new Due(row.getObject(1, UUID.class), row.getString(2)));
  }

  /** Their bytes were deleted. */
  public void forget(List<Due> deleted) throws SQLException {
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
  public int tidy(Duration kept, int most) throws SQLException {
    return query(
            "SELECT job_tidy(make_interval(secs => ?), ?)",
            tidy -> {
              tidy.setDouble(1, seconds(kept));
              tidy.setInt(2, most);
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

  private boolean step(String call, Claimed held, Binding rest) throws SQLException {
    return query(
            "SELECT " + call,
            step -> {
              step.setObject(1, held.id().value());
              step.setString(2, held.worker());
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
